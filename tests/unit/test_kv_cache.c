/* KV cache and state: bytes that llama.cpp v0.5.0 allocated (reference models.md section 5),
 * printed by older builds (4.5), and seen in public logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/kv_cache.h"

static struct model_shape no_shape(void)
{
    struct model_shape shape;
    memset(&shape, 0, sizeof shape);
#define NUMBER_KEY(member, suffix) shape.member = -1;
#define LAYERS_KEY(member, suffix)
#include "inspect/files/gguf_keys.def"
#undef NUMBER_KEY
#undef LAYERS_KEY
    shape.nextn_layers = 0;
    return shape;
}

static struct layer_numbers all(int64_t value)
{
    return (struct layer_numbers){.known = true, .all = value};
}

static struct context_wish wish_of(int64_t context)
{
    return (struct context_wish){.context = context,
                                 .slots = 1,
                                 .flash_attention = true,
                                 .batch = 2048,
                                 .ubatch = 512,
                                 .generation = LLAMA_2026};
}

static int64_t total(const struct context_memory *memory)
{
    int64_t sum = 0;
    for (size_t i = 0; i < MODEL_LAYERS_MAX; i++) {
        sum += memory->layers[i];
    }
    return sum;
}

/* Bytes in all; -1 unknown, -2 refused. */
static int64_t bytes_of(const char *architecture, const struct model_shape *shape,
                        const struct context_wish *wish)
{
    struct context_memory memory;
    struct problem problem = {""};
    struct model_file *file = calloc(1, sizeof *file);
    file->architecture = (struct text){architecture, strlen(architecture)};
    file->shape = *shape;
    bool taken = context_memory(file, wish, &memory, &problem);
    free(file);
    return !taken ? -2 : !memory.known ? -1 : total(&memory);
}

static struct model_shape attention(int64_t layers, int64_t kv_heads, int64_t key, int64_t value)
{
    struct model_shape shape = no_shape();
    shape.layers = layers;
    shape.embedding = 32;
    shape.heads = all(4);
    shape.kv_heads = all(kv_heads);
    shape.key_length = key;
    shape.value_length = value;
    return shape;
}

static void plain_attention(void **state)
{
    (void)state;
    struct model_shape shape = attention(4, 2, 16, 16);
    struct context_wish wish = wish_of(4096);
    assert_int_equal(bytes_of("llama", &shape, &wish), 2097152);
    wish.context = 4000; /* rounded up to 256 */
    assert_int_equal(bytes_of("llama", &shape, &wish), 2097152);
    shape = attention(32, 8, 128, 128); /* Llama-3-8B */
    wish.context = 8192;
    assert_int_equal(bytes_of("llama", &shape, &wish), (int64_t)1024 << 20);
    wish.cache_k = wish.cache_v = CACHE_Q8_0;
    assert_int_equal(bytes_of("llama", &shape, &wish), ((int64_t)512 << 20) * 34 / 32);
    wish.cache_v = CACHE_F16;
    wish.slots = 4; /* each its own quarter: the same in all */
    wish.cache_k = CACHE_F16;
    assert_int_equal(bytes_of("llama", &shape, &wish), (int64_t)1024 << 20);
    wish.slots = 3; /* 2730 each, rounded up to 2816 */
    assert_int_equal(bytes_of("llama", &shape, &wish), ((int64_t)1024 << 20) / 8192 * 2816 * 3);
}

static void multi_head_latent_attention(void **state)
{
    (void)state;
    struct model_shape shape = attention(3, 1, 48, 32);
    struct context_wish wish = wish_of(4096);
    shape.key_length_mla = 24;
    shape.value_length_mla = 16;
    assert_int_equal(bytes_of("deepseek2", &shape, &wish), 1179648);
    wish.flash_attention = false; /* no V cache to transpose */
    assert_int_equal(bytes_of("deepseek2", &shape, &wish), 1179648);
    wish.context = 16384;
    wish.generation = LLAMA_2025_12; /* b7347 kept V too: 7.50 MiB */
    assert_int_equal(bytes_of("deepseek2", &shape, &wish), 7864320);
    /* DeepSeek-V2 of before: 128 heads, 192 + 128 values, 60 layers: 11520 + 7680 MiB */
    shape = attention(60, 128, 192, 128);
    wish = wish_of(4096);
    assert_int_equal(bytes_of("deepseek2", &shape, &wish), (int64_t)(11520 + 7680) << 20);
}

static void sliding_windows(void **state)
{
    (void)state;
    struct model_shape shape = attention(4, 2, 32, 32);
    struct context_wish wish = wish_of(4096);
    shape.sliding_window = 128;
    assert_int_equal(bytes_of("gpt-oss", &shape, &wish), 2097152 / 2 + 2 * 768 * 256 + 2097152 / 2);
    wish.swa_full = true;
    assert_int_equal(bytes_of("gpt-oss", &shape, &wish), 2 * 2097152);
    wish.swa_full = false;
    wish.generation = LLAMA_2024; /* full size everywhere */
    assert_int_equal(bytes_of("gpt-oss", &shape, &wish), 2 * 2097152);
    shape = attention(8, 2, 16, 16);
    shape.sliding_window = 1024;
    wish = wish_of(4096);
    assert_int_equal(bytes_of("gemma3", &shape, &wish), 524288 + 1376256);
    wish.context = 8192; /* one cache for four slots: four windows and a batch */
    wish.slots = 4;
    wish.unified = true;
    assert_int_equal(bytes_of("gemma3", &shape, &wish), 8192 * 128 + 7 * 4608 * 128);
    shape.sliding_window = 0;
    assert_int_equal(bytes_of("gemma3", &shape, &wish), 8 * 8192 * 128);
    shape.sliding_window = 512;
    assert_int_equal(bytes_of("phi3", &shape, &wish), 8 * 8192 * 128);     /* ignored */
    assert_int_equal(bytes_of("mistral3", &shape, &wish), 8 * 8192 * 128); /* never read */
    assert_int_equal(bytes_of("mimo2", &shape, &wish), -1); /* the file must list its layers */
}

static void shared_caches(void **state)
{
    (void)state;
    static const int32_t pattern[] = {1, 1, 0, 1, 1, 0};
    struct model_shape shape = attention(6, 2, 32, 32);
    struct context_wish wish = wish_of(4096);
    shape.sliding_window = 512;
    shape.sliding_pattern = (struct layer_numbers){.known = true, .items = pattern, .count = 6};
    shape.key_length_swa = shape.value_length_swa = 16;
    shape.shared_kv_layers = 3; /* layers 3 to 5 use what 0 to 2 have */
    assert_int_equal(bytes_of("gemma4", &shape, &wish), 4096 * 256 + 2 * 1024 * 128);
    shape = attention(30, 2, 16, 16);
    shape.sliding_window = 1 << 20; /* wider than the context: full */
    assert_int_equal(bytes_of("gemma3n", &shape, &wish), 20 * 4096 * 128);
}

static void recurrent_and_hybrid(void **state)
{
    (void)state;
    struct model_shape shape = no_shape();
    struct context_wish wish = wish_of(4096);
    /* A 27B hybrid of a public log: 48 of 64 layers recurrent, 3 rows: R 16.88, S 432.00 MiB. */
    shape = attention(64, 0, 256, 256);
    shape.ssm_conv_kernel = 4;
    shape.ssm_inner_size = 6144;
    shape.ssm_groups = 16;
    shape.ssm_state_size = 128;
    wish.slots = 3;
    wish.unified = true;
    assert_int_equal(bytes_of("qwen35", &shape, &wish), 17694720 + ((int64_t)432 << 20));
    wish.drafted = 3; /* three rows of each sequence can be taken back */
    assert_int_equal(bytes_of("qwen35", &shape, &wish), 4 * (17694720 + ((int64_t)432 << 20)));
    wish = wish_of(4096);
    static const int32_t kv_heads[] = {0, 0, 2, 0};
    shape.layers = 4;
    shape.kv_heads = (struct layer_numbers){.known = true, .items = kv_heads, .count = 4};
    shape.key_length = shape.value_length = 16;
    int64_t state_bytes = (3 * (6144 + 2 * 16 * 128) + 128 * 6144) * 4;
    assert_int_equal(bytes_of("jamba", &shape, &wish), 3 * state_bytes + 4096 * 128);
    assert_int_equal(bytes_of("mamba", &shape, &wish), 4 * state_bytes);
    assert_int_equal(bytes_of("falcon-h1", &shape, &wish), 4 * state_bytes + 4096 * 128);
    shape = no_shape();
    shape.layers = 3;
    shape.embedding = 32;
    shape.wkv_head_size = 16;
    assert_int_equal(bytes_of("rwkv6", &shape, &wish), 3 * (2 * 32 + 32 * 16) * 4);
    shape.wkv_head_size = -1;
    assert_int_equal(bytes_of("rwkv6", &shape, &wish), -1);
}

static void next_token_layers(void **state)
{
    (void)state;
    struct model_shape shape = attention(5, 2, 16, 16);
    struct context_wish wish = wish_of(4096);
    shape.nextn_layers = 1;
    assert_int_equal(bytes_of("glm4moe", &shape, &wish), 4 * 4096 * 128);
    wish.nextn = true; /* a second context, for the fifth */
    assert_int_equal(bytes_of("glm4moe", &shape, &wish), 5 * 4096 * 128);
}

static void without_flash_attention_v_is_padded(void **state)
{
    (void)state;
    static const int32_t kv_heads[] = {4, 2, 0, 1};
    struct model_shape shape = attention(4, 0, 16, 16);
    struct context_wish wish = wish_of(4096);
    shape.kv_heads = (struct layer_numbers){.known = true, .items = kv_heads, .count = 4};
    assert_int_equal(bytes_of("deci", &shape, &wish), 4096 * 2 * 2 * 7 * 16);
    wish.flash_attention = false;
    assert_int_equal(bytes_of("deci", &shape, &wish), 4096 * 2 * (7 * 16 + 4 * 64));
}

static void what_is_not_known_is_not_a_number(void **state)
{
    (void)state;
    struct model_shape shape = attention(4, 2, 32, 32), bad = shape;
    struct context_wish wish = wish_of(4096);
    assert_int_equal(bytes_of("zork9", &shape, &wish), -1);
    assert_int_equal(bytes_of("deepseek4", &shape, &wish), -1);
    assert_int_equal(bytes_of("bert", &shape, &wish), 0); /* no cache: a fact */
    bad.heads = all(0);
    bad.kv_heads.known = false;
    bad.key_length = bad.value_length = -1;
    assert_int_equal(bytes_of("llama", &bad, &wish), -1);
    bad = shape;
    bad.key_length = INT32_MAX;
    assert_int_equal(bytes_of("llama", &bad, &wish), -1);
    bad = shape;
    bad.layers = 0;
    assert_int_equal(bytes_of("llama", &bad, &wish), -1);
    wish.context = 0;
    assert_int_equal(bytes_of("llama", &shape, &wish), -1);
    wish.context = INT32_MAX;
    assert_int_equal(bytes_of("llama", &shape, &wish), -1);
    wish = wish_of(4096);
    wish.cache_k = CACHE_Q8_0;
    bad = attention(4, 2, 16, 32);
    assert_int_equal(bytes_of("llama", &bad, &wish), -2);
    assert_int_equal(bytes_of("llama", &shape, &wish), 4 * 4096 * 2 * (34 + 64));
}

static void builds_have_their_rules(void **state)
{
    (void)state;
    assert_int_equal(llama_generation_of(0), LLAMA_2026);
    assert_int_equal(llama_generation_of(3658), LLAMA_2024);
    assert_int_equal(llama_generation_of(4753), LLAMA_2024);
    assert_int_equal(llama_generation_of(5640), LLAMA_2025_06);
    assert_int_equal(llama_generation_of(7347), LLAMA_2025_12);
    assert_int_equal(llama_generation_of(8121), LLAMA_2026);
    assert_int_equal(llama_generation_of(10361), LLAMA_2026);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_attention),
        cmocka_unit_test(multi_head_latent_attention),
        cmocka_unit_test(sliding_windows),
        cmocka_unit_test(shared_caches),
        cmocka_unit_test(recurrent_and_hybrid),
        cmocka_unit_test(next_token_layers),
        cmocka_unit_test(without_flash_attention_v_is_padded),
        cmocka_unit_test(what_is_not_known_is_not_a_number),
        cmocka_unit_test(builds_have_their_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

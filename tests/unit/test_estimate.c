/* Where layers, tensors and caches go: llama.cpp's placement rules (reference models.md section 3).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/estimate.h"

enum { LAYERS = 4, LAYER_BYTES = 1000, EXPERT_BYTES = 400, OUTPUT_BYTES = 77, INPUT_BYTES = 30 };

/* A llama of four layers; every layer has attention (600) and experts (400). */
static struct model_file *llama(struct arena *arena)
{
    struct model_file *file = ARENA_NEW(arena, struct model_file);
    struct layer_bytes *layers = ARENA_ARRAY(arena, struct layer_bytes, LAYERS);
    struct model_tensor_block *block = ARENA_NEW(arena, struct model_tensor_block);
    file->format = FORMAT_GGUF;
    file->kind = MODEL_LLM;
    file->architecture = TEXT("llama");
    struct model_shape *shape = &file->shape;
#define NUMBER_KEY(member, suffix) shape->member = -1;
#define LAYERS_KEY(member, suffix)
#include "inspect/files/gguf_keys.def"
#undef NUMBER_KEY
#undef LAYERS_KEY
    shape->layers = LAYERS;
    shape->nextn_layers = 0;
    shape->context_trained = 4096;
    shape->embedding = 32;
    shape->heads = shape->kv_heads = (struct layer_numbers){.known = true, .all = 2};
    shape->key_length = shape->value_length = 16;
    shape->feed_forward = (struct layer_numbers){.known = true, .all = 64};
    struct model_tensor *at = block->items;
    *at++ = (struct model_tensor){.name = "token_embd.weight", .bytes = INPUT_BYTES, .layer = -1};
    for (int16_t i = 0; i < LAYERS; i++) {
        char name[64];
        layers[i] = (struct layer_bytes){LAYER_BYTES, EXPERT_BYTES};
        int used = snprintf(name, sizeof name, "blk.%d.attn_q.weight", i);
        *at++ = (struct model_tensor){.name = arena_string(arena, name, (size_t)used),
                                      .bytes = LAYER_BYTES - EXPERT_BYTES,
                                      .layer = i,
                                      .group = GROUP_LAYER};
        used = snprintf(name, sizeof name, "blk.%d.ffn_up_exps.weight", i);
        *at++ = (struct model_tensor){.name = arena_string(arena, name, (size_t)used),
                                      .bytes = EXPERT_BYTES,
                                      .layer = i,
                                      .group = GROUP_LAYER,
                                      .expert = true};
    }
    *at++ = (struct model_tensor){
        .name = "output.weight", .bytes = OUTPUT_BYTES, .layer = -1, .group = GROUP_OUTPUT};
    block->count = (size_t)(at - block->items);
    file->tensors = block;
    file->tensor_count = block->count;
    file->tensors_kept = true;
    file->layers = layers;
    file->layer_count = LAYERS;
    file->input_bytes = INPUT_BYTES;
    file->output_bytes = OUTPUT_BYTES;
    file->weights_known_bytes = INPUT_BYTES + OUTPUT_BYTES + LAYERS * LAYER_BYTES;
    file->weights_bytes = measured_known(file->weights_known_bytes);
    file->file_bytes = 5000;
    return file;
}

static struct runtime_flags flags_of(const char *line)
{
    struct raw_text words[32];
    struct runtime_flags flags;
    struct problem problem;
    size_t count = 0;
    while (*line) {
        size_t length = strcspn(line, " ");
        words[count++] = (struct raw_text){line, length};
        line += length + (line[length] != '\0');
    }
    if (!runtime_flags_parse(words, count, (struct raw_text){NULL, 0}, true, &flags, &problem)) {
        fail_msg("%s", problem.text);
    }
    return flags;
}

enum { KV_LAYER = 4096 * 128 };

struct placed {
    const char *flags;
    size_t devices;
    int64_t build;
    int64_t weights[3]; /* of the devices in order, then the host; -1 unknown */
    int64_t caches[3];  /* in layers */
    int64_t layers_on_gpu;
};

static const struct placed rows[] = {
    /* The output layer is the first to be offloaded since 2026. */
    {"-c 4096 -np 1 -ngl 0 -lm none", 1, 0, {0, 4107}, {0, 4}, 0},
    {"-c 4096 -np 1 -ngl 1", 1, 0, {77, 4030}, {0, 4}, 1},
    {"-c 4096 -np 1 -ngl 3", 1, 0, {2077, 2030}, {2, 2}, 3},
    {"-c 4096 -np 1 -ngl 5", 1, 0, {4077, 30}, {4, 0}, 5},
    {"-c 4096 -np 1 -ngl 99", 1, 0, {4077, 30}, {4, 0}, 5},
    {"-c 4096 -np 1 -ngl all", 1, 0, {4077, 30}, {4, 0}, 5},
    /* Before, it was the last. */
    {"-c 4096 -np 1 -ngl 3", 1, 7347, {3000, 1107}, {3, 1}, 3},
    {"-c 4096 -np 1 -ngl 4", 1, 7347, {4000, 107}, {4, 0}, 4},
    {"-c 4096 -np 1 -ngl 5", 1, 5640, {4077, 30}, {4, 0}, 5},
    {"-c 4096 -np 1", 1, 7347, {4077, 30}, {4, 0}, 5}, /* all by default */
    {"-c 4096 -np 1", 1, 3995, {0, 4107}, {0, 4}, 0},  /* none by default */
    /* Experts and patterns; the KV cache of such a layer stays. */
    {"-c 4096 -np 1 -ngl 99 -cmoe", 1, 0, {2477, 1630}, {4, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -ncmoe 1", 1, 0, {3677, 430}, {4, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -ot blk\\.[12]\\.attn=CPU", 1, 0, {2877, 1230}, {4, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -ot token_embd=CUDA0", 1, 0, {4107, 0}, {4, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -ts 1,0 -ot exps=CPU,blk=CUDA1", 2, 0, {77, 2400, 1630}, {4, 0, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -nkvo", 1, 0, {4077, 30}, {0, 4}, 5},
    /* Several devices: 3 to 1 of four layers and the output are four and the output. */
    {"-c 4096 -np 1 -ngl 99 -ts 3,1", 2, 0, {4000, 77, 30}, {4, 0, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -ts 1,1", 2, 0, {3000, 1077, 30}, {3, 1, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -sm none -mg 1", 2, 0, {0, 4077, 30}, {0, 4, 0}, 5},
    {"-c 4096 -np 1 -ngl 99 -sm row -ts 1,1", 2, 0, {2038, 2039, 30}, {4, 0, 0}, -2},
    /* How it splits, or how much fits, depends on memory that nobody knows. */
    {"-c 4096 -np 1 -ngl 99", 2, 0, {-1, -1, -1}, {-1, -1, -1}, -1},
    {"-c 4096 -np 1", 1, 0, {-1, -1}, {-1, -1}, -1},
    {"-c 4096 -np 1 -fit off", 1, 0, {4077, 30}, {4, 0}, 5},
    {"-c 4096 -np 1 -dev none", 0, 0, {4107}, {4}, 0},
};

static int64_t value_of(struct figure figure)
{
    assert_true(figure.how == HOW_ESTIMATED || figure.how == HOW_UNAVAILABLE);
    return figure_is_known(figure) ? (int64_t)figure.value : -1;
}

static void check_row(struct arena *arena, const struct placed *row)
{
    const struct estimate_device devices[] = {{.name = TEXT("CUDA0")}, {.name = TEXT("CUDA1")}};
    struct runtime_flags flags = flags_of(row->flags);
    flags.load_mode = LOAD_NONE; /* sums of tensors, not ranges of the file */
    const struct estimate_input input = {.file = llama(arena),
                                         .flags = &flags,
                                         .devices = devices,
                                         .device_count = row->devices,
                                         .build = row->build};
    struct model model;
    struct problem problem;
    assert_true(estimate_model(arena, &input, &model, &problem));
    assert_int_equal(model.device_count, row->devices + 1);
    for (size_t i = 0; i <= row->devices; i++) {
        int64_t layers = row->caches[i];
        if (value_of(model.devices[i].weights_bytes) != row->weights[i]) {
            fail_msg("%s: device %zu has %lld, not %lld", row->flags, i,
                     (long long)value_of(model.devices[i].weights_bytes),
                     (long long)row->weights[i]);
        }
        assert_int_equal(value_of(model.devices[i].kv_cache_bytes),
                         layers < 0 ? -1 : layers * KV_LAYER);
    }
    if (row->layers_on_gpu != -2) {
        assert_int_equal(value_of(model.layers_on_gpu), row->layers_on_gpu);
    }
    assert_true(text_equal_string(model.devices[row->devices].device, "host"));
}

static void bytes_go_where_llama_cpp_puts_them(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(arena, &rows[i]);
        arena_reset(arena);
    }
    arena_free(&arena);
}

static void free_memory_decides_the_split(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const int64_t gib = (int64_t)1 << 30;
    struct estimate_device devices[] = {
        {.name = TEXT("CUDA0"), .free_bytes = measured_known(30 * gib)},
        {.name = TEXT("CUDA1"), .free_bytes = measured_known(10 * gib)}};
    struct runtime_flags flags = flags_of("-c 4096 -np 1 -lm none");
    struct estimate_input input = {
        .file = llama(arena), .flags = &flags, .devices = devices, .device_count = 2};
    struct model model;
    struct problem problem;
    assert_true(
        estimate_model(arena, &input, &model, &problem)); /* all of it fits: all of it goes */
    assert_int_equal(value_of(model.devices[0].weights_bytes), 4000);
    assert_int_equal(value_of(model.devices[1].weights_bytes), 77);
    devices[1].free_bytes = measured_known(gib / 2); /* less than the margin */
    flags = flags_of("-np 1 -lm none");
    assert_true(estimate_model(arena, &input, &model, &problem));
    assert_int_equal(value_of(model.devices[0].weights_bytes), -1);
    assert_int_equal(value_of(model.context), -1); /* it may be cut too */
    arena_free(&arena);
}

static void the_file_alone_has_weights_only(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct estimate_input input = {.file = llama(arena)};
    struct model model;
    struct problem problem;
    assert_true(estimate_model(arena, &input, &model, &problem));
    assert_int_equal(model.device_count, 1);
    assert_int_equal(value_of(model.devices[0].weights_bytes), 4107);
    assert_int_equal(value_of(model.devices[0].kv_cache_bytes), -1);
    assert_int_equal(value_of(model.layers_on_gpu), -1);
    assert_int_equal(value_of(model.context_trained), 4096);
    arena_free(&arena);
}

static void other_roles(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const struct estimate_device devices[] = {{.name = TEXT("CUDA0")}};
    struct model_file *file = llama(arena);
    struct runtime_flags flags = flags_of("-c 2048 -np 1 -ngl 99 -ngld 2 -md d.gguf --mmproj p");
    struct estimate_input input = {.file = file,
                                   .base = file,
                                   .role = ESTIMATE_DRAFT,
                                   .flags = &flags,
                                   .devices = devices,
                                   .device_count = 1};
    struct model model;
    struct problem problem;
    assert_true(estimate_model(arena, &input, &model, &problem));
    assert_int_equal(model.kind, MODEL_DRAFT);
    assert_int_equal(value_of(model.devices[0].weights_bytes), 1077);
    assert_int_equal(value_of(model.context), 2048); /* the main model's */
    assert_int_equal(value_of(model.devices[0].kv_cache_bytes), KV_LAYER / 2);
    file->role = ROLE_PROJECTOR;
    input.role = ESTIMATE_PROJECTOR;
    assert_true(estimate_model(arena, &input, &model, &problem));
    assert_int_equal(value_of(model.devices[0].weights_bytes), 4107);
    flags.mmproj_offload = false;
    assert_true(estimate_model(arena, &input, &model, &problem));
    assert_int_equal(value_of(model.devices[0].weights_bytes), 0);
    assert_int_equal(value_of(model.devices[1].weights_bytes), 4107);
    arena_free(&arena);
}

static void the_runtime_refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {"-ngl 99 -sm none -mg 2", "-ngl 99 -ot x=TPU0",
                                      "-ngl 99 -ot (=CPU", "-ngl 99 -ctk q8_0 -fa on",
                                      "-ngl 99 -ot x=CUDA7"};
    struct arena *arena = arena_new();
    const struct estimate_device devices[] = {{.name = TEXT("CUDA0")}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct runtime_flags flags = flags_of(bad[i]);
        const struct estimate_input input = {
            .file = llama(arena), .flags = &flags, .devices = devices, .device_count = 1};
        struct model model;
        struct problem problem = {""};
        if (estimate_model(arena, &input, &model, &problem)) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_true(problem.text[0]);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_go_where_llama_cpp_puts_them),
        cmocka_unit_test(free_memory_decides_the_split),
        cmocka_unit_test(the_file_alone_has_weights_only),
        cmocka_unit_test(other_roles),
        cmocka_unit_test(the_runtime_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

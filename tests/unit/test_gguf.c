/* GGUF as the format is described: versions, byte order, parts, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/files/model_file.h"
#include "model_bytes.h"

struct fixture {
    struct arena *arena;
    struct bytes parts[3];
    struct memory_files files;
    struct model_file file;
    struct problem problem;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->arena = arena_new();
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static bool read_file(struct fixture *fixture, const char *path)
{
    struct byte_opener opener = {.open = memory_open, .context = &fixture->files};
    fixture->problem.text[0] = '\0';
    return model_file_read(&opener, path, fixture->arena, &fixture->file, &fixture->problem);
}

static void serve(struct fixture *fixture, const char *path, size_t part)
{
    fixture->files.paths[fixture->files.count] = path;
    fixture->files.bytes[fixture->files.count++] = &fixture->parts[part];
}

/* A llama of two layers: F32 embeddings of 8 rows, Q8_0 matrices, experts in layer 1. Returns where
 * its tensor table ends. */
static size_t put_llama(struct bytes *bytes, uint32_t version)
{
    put_gguf(bytes, version, 5, 5);
    put_key_string(bytes, "general.architecture", "llama");
    put_key_string(bytes, "general.name", "Tiny");
    put_key_u32(bytes, "general.file_type", 7);
    put_key_u32(bytes, "llama.block_count", 2);
    put_key_u32(bytes, "llama.context_length", 4096);
    put_tensor(bytes, "token_embd.weight", 0, 32, 8, 0);            /* 1024 */
    put_tensor(bytes, "blk.0.attn_q.weight", 8, 32, 32, 1024);      /* 1088 */
    put_tensor(bytes, "blk.1.ffn_up_exps.weight", 8, 32, 64, 2112); /* 2176 */
    put_tensor(bytes, "blk.1.attn_norm.weight", 0, 32, 0, 4288);    /* 128 */
    put_tensor(bytes, "output_norm.weight", 0, 32, 0, 4416);        /* 128 */
    size_t table_end = bytes->size;
    put_data(bytes, 4544);
    return table_end;
}

static void check_llama(const struct model_file *file)
{
    assert_int_equal(file->format, FORMAT_GGUF);
    assert_int_equal(file->kind, MODEL_LLM);
    assert_true(text_equal_string(file->architecture, "llama"));
    assert_true(text_equal_string(file->name, "Tiny"));
    assert_true(text_equal_string(file->quantization, "Q8_0"));
    assert_true(file->weights_bytes.known);
    assert_int_equal(file->weights_bytes.value, 1024 + 1088 + 2176 + 128 + 128);
    assert_int_equal(file->parameters.value, 256 + 1024 + 2048 + 32 + 32);
    assert_int_equal(file->shape.layers, 2);
    assert_int_equal(file->shape.context_trained, 4096);
    assert_int_equal(file->input_bytes, 1024);
    assert_int_equal(file->output_bytes, 128);
    assert_int_equal(file->layers[0].bytes, 1088);
    assert_int_equal(file->layers[1].bytes, 2304);
    assert_int_equal(file->layers[1].expert_bytes, 2176);
    assert_int_equal(file->tied_bytes, 1024); /* no output.weight */
    assert_true(file->tensors_kept);
    assert_false(file->incomplete);
}

static void every_version_and_byte_order_reads_the_same(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        uint32_t version;
        bool swaps;
    } rows[] = {{1, false}, {2, false}, {3, false}, {3, true}, {2, true}};
    serve(fixture, "m.gguf", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes *bytes = &fixture->parts[0];
        memset(bytes, 0, sizeof *bytes);
        bytes->swaps = rows[i].swaps;
        bytes->narrow = rows[i].version == 1;
        put_llama(bytes, rows[i].version);
        assert_true(read_file(fixture, "m.gguf"));
        check_llama(&fixture->file);
        assert_int_equal(fixture->file.version, rows[i].version);
        assert_int_equal(fixture->file.big_endian, rows[i].swaps);
    }
}

static void keys_in_front_of_the_architecture_count(void **state)
{
    struct fixture *fixture = *state;
    struct bytes *bytes = &fixture->parts[0];
    put_gguf(bytes, 3, 0, 3);
    put_key_u32(bytes, "qwen3.block_count", 36);
    put_key_u32(bytes, "other.block_count", 7);
    put_key_string(bytes, "general.architecture", "qwen3");
    serve(fixture, "m.gguf", 0);
    assert_true(read_file(fixture, "m.gguf"));
    assert_int_equal(fixture->file.shape.layers, 36);
    assert_int_equal(fixture->file.warning_count, 0);
}

static void put_part(struct bytes *bytes, uint16_t part, const char *tensor, uint64_t rows)
{
    put_gguf(bytes, 3, 1, part == 0 ? 5 : 3);
    if (part == 0) {
        put_key_string(bytes, "general.architecture", "llama");
        put_key_u32(bytes, "llama.block_count", 2);
    }
    put_key_u16(bytes, "split.no", part);
    put_key_u16(bytes, "split.count", 3);
    put_key_u32(bytes, "split.tensors.count", 3);
    put_tensor(bytes, tensor, 0, 32, rows, 0);
    put_data(bytes, 128 * rows);
}

static const char *const part_names[] = {"/x/m-00001-of-00003.gguf", "/x/m-00002-of-00003.gguf",
                                         "/x/m-00003-of-00003.gguf"};

static void any_part_gives_the_whole(void **state)
{
    struct fixture *fixture = *state;
    put_part(&fixture->parts[0], 0, "token_embd.weight", 4);
    put_part(&fixture->parts[1], 1, "blk.0.attn_q.weight", 2);
    put_part(&fixture->parts[2], 2, "blk.1.attn_q.weight", 1);
    for (size_t i = 0; i < 3; i++) {
        serve(fixture, part_names[i], i);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_true(read_file(fixture, part_names[i]));
        assert_int_equal(fixture->file.weights_bytes.value, 128 * 7);
        assert_int_equal(fixture->file.parts, 3);
        assert_int_equal(fixture->file.parts_missing, 0);
        assert_int_equal(fixture->file.shape.layers, 2);
        assert_int_equal(fixture->file.file_bytes,
                         fixture->parts[0].size + fixture->parts[1].size + fixture->parts[2].size);
        assert_int_equal(fixture->file.warning_count, 0);
    }
}

static void a_missing_part_makes_the_total_unknown(void **state)
{
    struct fixture *fixture = *state;
    put_part(&fixture->parts[0], 0, "token_embd.weight", 4);
    put_part(&fixture->parts[2], 2, "blk.1.attn_q.weight", 1);
    serve(fixture, part_names[0], 0);
    serve(fixture, part_names[2], 2);
    assert_true(read_file(fixture, part_names[2]));
    assert_false(fixture->file.weights_bytes.known);
    assert_int_equal(fixture->file.weights_known_bytes, 128 * 5);
    assert_int_equal(fixture->file.parts_missing, 1);
    assert_int_equal(fixture->file.shape.layers, 2);
}

static void a_foreign_part_is_a_missing_one(void **state)
{
    struct fixture *fixture = *state;
    put_part(&fixture->parts[0], 0, "token_embd.weight", 4);
    put_part(&fixture->parts[1], 2, "blk.0.attn_q.weight", 2); /* says it is the third */
    put_part(&fixture->parts[2], 2, "blk.1.attn_q.weight", 1);
    for (size_t i = 0; i < 3; i++) {
        serve(fixture, part_names[i], i);
    }
    assert_true(read_file(fixture, part_names[0]));
    assert_false(fixture->file.weights_bytes.known);
    assert_int_equal(fixture->file.parts_missing, 1);
}

/* What the malformed cases do not show: lengths and counts that differ by one from the truth. */
static void every_truncation_ends_well(void **state)
{
    struct fixture *fixture = *state;
    struct bytes *bytes = &fixture->parts[0];
    size_t table_end = put_llama(bytes, 3), size = bytes->size;
    serve(fixture, "m.gguf", 0);
    for (size_t length = 0; length < size; length++) {
        bytes->size = length;
        bool read = read_file(fixture, "m.gguf");
        assert_int_equal(read, length >= table_end);
        assert_true(read || fixture->problem.text[0]);
        assert_true(!read || fixture->file.incomplete);
        arena_reset(fixture->arena);
    }
}

static void kinds_follow_from_keys(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *architecture, *key;
        uint32_t value;
        enum model_kind kind;
    } rows[] = {
        {"llama", "llama.pooling_type", 0, MODEL_LLM},
        {"qwen3", "qwen3.pooling_type", 3, MODEL_EMBEDDING},
        {"qwen3", "qwen3.pooling_type", 4, MODEL_DECISION},
        {"bert", "bert.pooling_type", 1, MODEL_EMBEDDING},
        {"bert", "bert.pooling_type", 4, MODEL_DECISION},
        {"llama", "llama.attention.causal", 0, MODEL_EMBEDDING},
        {"dream", "dream.attention.causal", 0, MODEL_LLM},
        {"clip", "clip.vision.block_count", 24, MODEL_PROJECTOR},
        {"whisper", "whisper.block_count", 4, MODEL_SPEECH},
        {"flux", "flux.block_count", 4, MODEL_DIFFUSION},
        {"eagle3", "eagle3.block_count", 1, MODEL_DRAFT},
    };
    serve(fixture, "m.gguf", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes *bytes = &fixture->parts[0];
        bytes->size = 0;
        put_gguf(bytes, 3, 1, 2);
        put_key_string(bytes, "general.architecture", rows[i].architecture);
        put_key_u32(bytes, rows[i].key, rows[i].value);
        put_tensor(bytes, "blk.0.attn_q.weight", 0, 32, 1, 0);
        put_data(bytes, 128);
        assert_true(read_file(fixture, "m.gguf"));
        assert_int_equal(fixture->file.kind, rows[i].kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_version_and_byte_order_reads_the_same, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(keys_in_front_of_the_architecture_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_part_gives_the_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_part_makes_the_total_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_foreign_part_is_a_missing_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_truncation_ends_well, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kinds_follow_from_keys, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

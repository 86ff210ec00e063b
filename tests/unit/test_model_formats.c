/* The formats beside GGUF: safetensors, PyTorch, ONNX, whisper.cpp and what is refused. */
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
    struct bytes bytes[3];
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

static void serve(struct fixture *fixture, const char *path, size_t index)
{
    size_t at = fixture->files.count++;
    fixture->files.paths[at] = path;
    fixture->files.bytes[at] = &fixture->bytes[index];
}

static void put_safetensors(struct bytes *bytes, const char *header, size_t data)
{
    put_number(bytes, strlen(header), 8);
    put(bytes, header, strlen(header));
    memset(bytes->at + bytes->size, 0, data);
    bytes->size += data;
}

static void safetensors_headers(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *header;
        int64_t data;
        int64_t weights; /* -1: refused */
        int64_t elements;
        const char *type;
        bool incomplete;
    } rows[] = {
        {"{\"a\":{\"dtype\":\"BF16\",\"shape\":[4,8],\"data_offsets\":[0,64]}}", 64, 64, 32, "BF16",
         false},
        {"{\"__metadata__\":{\"format\":\"pt\"},\"a\":{\"data_offsets\":[0,12],\"shape\":[1,3],"
         "\"dtype\":\"F32\"}}  ",
         12, 12, 3, "F32", false},
        {"{\"a\":{\"dtype\":\"F4\",\"shape\":[2,16],\"data_offsets\":[0,16]}}", 16, 16, 32, "F4",
         false},
        {"{\"a\":{\"dtype\":\"NEW9\",\"shape\":[32],\"data_offsets\":[0,20]}}", 20, 20, 32, NULL,
         false},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}", 8, 16, 4, "F32",
         true},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,12]}}", 16, -1, 0, NULL,
         false}, /* shape contradicts size */
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[16,0]}}", 16, -1, 0, NULL,
         false},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-4],\"data_offsets\":[0,16]}}", 16, -1, 0, NULL,
         false},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
         -1, 0, NULL, false},
        {"{\"a\":{\"shape\":[4],\"data_offsets\":[0,16]}}", 16, -1, 0, NULL, false},
        {"{\"a\":{\"dtype\":\"F32\",", 0, -1, 0, NULL, false},
        {"{\"a\":1}", 0, -1, 0, NULL, false},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},}", 16, -1, 0, NULL,
         false},
    };
    serve(fixture, "m.safetensors", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture->bytes[0].size = 0;
        put_safetensors(&fixture->bytes[0], rows[i].header, (size_t)rows[i].data);
        bool read = read_file(fixture, "m.safetensors");
        assert_int_equal(read, rows[i].weights >= 0);
        if (!read) {
            assert_true(fixture->problem.text[0]);
            continue;
        }
        assert_int_equal(fixture->file.weights_bytes.value, rows[i].weights);
        assert_int_equal(fixture->file.parameters.value, rows[i].elements);
        assert_int_equal(fixture->file.incomplete, rows[i].incomplete);
        if (rows[i].type) {
            assert_true(text_equal_string(fixture->file.quantization, rows[i].type));
        }
    }
}

static void an_index_stands_for_its_parts(void **state)
{
    struct fixture *fixture = *state;
    static const char index[] =
        "{\"metadata\":{\"total_size\":80},\"weight_map\":{\"a\":\"m-00001-of-00002.safetensors\","
        "\"b\":\"m-00002-of-00002.safetensors\"}}";
    put(&fixture->bytes[0], index, sizeof index - 1);
    put_safetensors(
        &fixture->bytes[1],
        "{\"model.layers.0.a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 16);
    put_safetensors(
        &fixture->bytes[2],
        "{\"model.layers.31.b\":{\"dtype\":\"F16\",\"shape\":[32],\"data_offsets\":[0,64]}}", 64);
    serve(fixture, "/m/m.safetensors.index.json", 0);
    serve(fixture, "/m/m-00001-of-00002.safetensors", 1);
    serve(fixture, "/m/m-00002-of-00002.safetensors", 2);
    for (size_t i = 0; i < 3; i++) {
        assert_true(read_file(fixture, fixture->files.paths[i]));
        assert_int_equal(fixture->file.weights_bytes.value, 80);
        assert_int_equal(fixture->file.shape.layers, 32);
        assert_int_equal(fixture->file.parts, 2);
        assert_int_equal(fixture->file.warning_count, 0);
    }
    fixture->files.count = 2;
    assert_true(read_file(fixture, "/m/m.safetensors.index.json"));
    assert_false(fixture->file.weights_bytes.known);
    assert_int_equal(fixture->file.weights_known_bytes, 16);
}

static void config_json_names_the_model(void **state)
{
    struct fixture *fixture = *state;
    static const char config[] = "{\"architectures\":[\"Qwen3ForCausalLM\"],\"model_type\":"
                                 "\"qwen3\",\"num_hidden_layers\":36,"
                                 "\"max_position_embeddings\":40960,\"num_key_value_heads\":8,"
                                 "\"quantization_config\":{\"quant_method\":\"awq\",\"bits\":4}}";
    put_safetensors(&fixture->bytes[0],
                    "{\"a\":{\"dtype\":\"I32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 16);
    put(&fixture->bytes[1], config, sizeof config - 1);
    serve(fixture, "/m/model.safetensors", 0);
    serve(fixture, "/m/config.json", 1);
    assert_true(read_file(fixture, "/m/model.safetensors"));
    assert_int_equal(fixture->file.kind, MODEL_LLM);
    assert_true(text_equal_string(fixture->file.architecture, "qwen3"));
    assert_true(text_equal_string(fixture->file.quantization, "AWQ 4-bit"));
    assert_int_equal(fixture->file.shape.layers, 36);
    assert_int_equal(fixture->file.shape.context_trained, 40960);
    assert_int_equal(layer_number(&fixture->file.shape.kv_heads, 0, -1), 8);
    assert_false(fixture->file.parameters.known); /* several weights are packed into one element */
}

/* ModelProto { ir_version 8, producer_name "x", graph { initializer ... } } */
static void put_onnx(struct bytes *bytes, const void *tensor, size_t size)
{
    put(bytes, "\x08\x08\x12\x01x", 5);
    put_number(bytes, 0x3a, 1); /* graph */
    put_number(bytes, size + 2, 1);
    put_number(bytes, 0x2a, 1); /* initializer */
    put_number(bytes, size, 1);
    put(bytes, tensor, size);
}

static void onnx_initializers(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *tensor;
        size_t size;
        int64_t bytes; /* -1: unknown; -2: refused */
    } rows[] = {
        {"\x08\x04\x10\x01\x4a\x10................", 22, 16}, /* dims 4, F32, 16 raw bytes */
        {"\x0a\x02\x04\x02\x10\x0a", 6, 16},                  /* packed dims 4, 2; F16, no data */
        {"\x08\x04\x10\x08", 4, -1},                          /* strings */
        {"\x08\x04\x4a\x7f", 4, -2},                          /* longer than it is */
        {"\x0b\x04", 2, -2},                                  /* a wire type that is gone */
    };
    serve(fixture, "m.onnx", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture->bytes[0].size = 0;
        put_onnx(&fixture->bytes[0], rows[i].tensor, rows[i].size);
        assert_int_equal(read_file(fixture, "m.onnx"), rows[i].bytes != -2);
        if (rows[i].bytes != -2) {
            assert_int_equal(fixture->file.weights_bytes.known, rows[i].bytes >= 0);
            assert_int_equal(fixture->file.weights_known_bytes, rows[i].bytes > 0 ? 16 : 0);
        }
    }
}

/* One entry of a zip's central directory. */
static void put_entry(struct bytes *bytes, const char *name, uint32_t size, uint16_t method)
{
    put(bytes, "PK\1\2\0\0\0\0\0\0", 10);
    put_number(bytes, method, 2);
    put(bytes, "\0\0\0\0\0\0\0\0", 8);
    put_number(bytes, size, 4);
    put_number(bytes, size, 4);
    put_number(bytes, strlen(name), 2);
    put(bytes, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    put(bytes, name, strlen(name));
}

static void put_zip(struct bytes *bytes, const char *pickle, uint32_t size, uint32_t claimed)
{
    bytes->size = 0;
    put(bytes, "PK\3\4", 4);
    put_data(bytes, 1000);
    size_t start = bytes->size;
    put_entry(bytes, pickle, 100, 0);
    put_entry(bytes, "archive/data/0", size, 0);
    put_entry(bytes, "archive/data/17", 400, 0);
    put_entry(bytes, "archive/version", 2, 0);
    size_t length = bytes->size - start;
    put(bytes, "PK\5\6\0\0\0\0", 8);
    put_number(bytes, 4, 2);
    put_number(bytes, claimed, 2);
    put_number(bytes, length, 4);
    put_number(bytes, start, 4);
    put_number(bytes, 0, 2);
}

static void pytorch_zips(void **state)
{
    struct fixture *fixture = *state;
    serve(fixture, "m.bin", 0);
    put_zip(&fixture->bytes[0], "archive/data.pkl", 600, 4);
    assert_true(read_file(fixture, "m.bin"));
    assert_int_equal(fixture->file.format, FORMAT_PYTORCH_ZIP);
    assert_int_equal(fixture->file.weights_bytes.value, 1000);
    put_zip(&fixture->bytes[0], "archive/other.pkl", 600, 4); /* any zip */
    assert_false(read_file(fixture, "m.bin"));
    put_zip(&fixture->bytes[0], "archive/data.pkl", 60000, 4); /* larger than the file */
    assert_false(read_file(fixture, "m.bin"));
    put_zip(&fixture->bytes[0], "archive/data.pkl", 600, 60000); /* more entries than it holds */
    assert_false(read_file(fixture, "m.bin"));
}

static void whisper_sizes_have_names(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        uint32_t vocabulary, audio_layers, text_layers;
        const char *name; /* NULL: refused */
    } rows[] = {
        {51865, 4, 4, "whisper tiny"},
        {51864, 6, 6, "whisper base.en"},
        {51865, 32, 32, "whisper large"},
        {51866, 32, 32, "whisper large-v3"},
        {51866, 32, 4, "whisper large-v3-turbo"},
        {51866, 32, 2, "whisper large-v3 (distilled)"},
        {32000, 32, 32, NULL}, /* a llama of 2023 */
    };
    serve(fixture, "ggml.bin", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes *bytes = &fixture->bytes[0];
        const uint32_t numbers[] = {rows[i].vocabulary,   1500, 384, 6,
                                    rows[i].audio_layers, 448,  384, 6,
                                    rows[i].text_layers,  80,   1};
        bytes->size = 0;
        put(bytes, "lmgg", 4);
        for (size_t k = 0; k < 11; k++) {
            put_number(bytes, numbers[k], 4);
        }
        assert_int_equal(read_file(fixture, "ggml.bin"), rows[i].name != NULL);
        if (rows[i].name) {
            assert_true(text_equal_string(fixture->file.name, rows[i].name));
            assert_int_equal(fixture->file.kind, MODEL_SPEECH);
        }
    }
}

static void what_is_no_model_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const char *const contents[] = {"version https://git-lfs.github.com/spec/v1\n",
                                           "#!/bin/sh\n", "{\"a\": 1}", "x"};
    serve(fixture, "m", 0);
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        fixture->bytes[0].size = 0;
        put(&fixture->bytes[0], contents[i], strlen(contents[i]));
        assert_false(read_file(fixture, "m"));
        assert_true(fixture->problem.text[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(safetensors_headers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_index_stands_for_its_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(config_json_names_the_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(onnx_initializers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pytorch_zips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whisper_sizes_have_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_model_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Expected values: the lines themselves; sizes by hand, in bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/load_log.h"
#include "inspect/log_text.h"

#define LOAD(path)                                                                                 \
    "llama_model_loader: loaded meta data with 20 key-value pairs and 291 tensors from " path      \
    " (version GGUF V3 (latest))\n"

static void test_facts(void **state)
{
    (void)state;
    static const char text[] =
        "time=2025-08-24T08:26:00.310Z level=INFO source=server.go:383 msg=\"starting runner\" "
        "cmd=\"C:\\\\x\\\\ollama.exe runner --ollama-engine --model "
        "O:\\\\models\\\\blobs\\\\sha256-00 --port 51234\"\n";
    struct load_log *log = load_log_new();
    load_log_feed(log, raw_from_string(text));
    const struct load_run *run = load_log_run(log, 0);
    assert_int_equal(load_log_run_count(log), 1);
    assert_true(raw_equal_string(run->main_path, "O:\\models\\blobs\\sha256-00"));
    assert_int_equal(run->port.value, 51234);
    assert_true(run->start_ns == INT64_C(1756023960310000000));
    assert_true(run->is_child);
    load_log_free(&log);

    log = load_log_new();
    load_log_feed(
        log,
        raw_from_string(
            "common_params_print_info: build 9999 (de3ff81) with GNU 12.2.0\n"
            "srv    load_model: loading model '/m's/q.gguf'\n"
            "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce GTX 1080 Ti) "
            "(0000:03:00.0) - 8720 MiB free\n"
            "x: using device RPC0 (192.0.2.10:50052) (unknown id) - 24105 MiB free\n"
            "x: using device ROCm0 (AMD Radeon RX 7900 XTX) - 1840 MiB free\n" LOAD(
                "/m (version 2)/q.gguf") "print_info: arch = qwen3\n"
                                         "print_info: file type   = Q4_K - Medium\n"
                                         "print_info: model params          = 8.03 B\n"
                                         "print_info: pooling type          = 3\n"
                                         "load_tensors: offloaded 3/5 layers to GPU\n"
                                         "llama_context: constructing llama_context\n"
                                         "llama_context: n_seq_max     = 4\n"
                                         "llama_context: n_ctx         = 32768\n"
                                         "llama_context: flash_attn    = auto\n"
                                         "llama_context: kv_unified    = true\n"
                                         "llama_kv_cache: size =  576.00 MiB (  4096 cells,  36 "
                                         "layers,  4/ 1 seqs), K (q8_0):  288.00 MiB, V (turbo2):  "
                                         "287.00 MiB\n"
                                         "load_model: initializing, n_slots = 4, n_ctx_slot = "
                                         "8192\n"
                                         "llama_server: listening on http://127.0.0.1:8120\n"));
    run = load_log_run(log, 0);
    assert_true(raw_equal_string(run->version, "9999 (de3ff81)"));
    assert_true(raw_equal_string(run->main_path, "/m's/q.gguf"));
    assert_int_equal(run->port.value, 8120);
    assert_int_equal(run->slots.value, 4);
    assert_int_equal(run->slot_context.value, 8192);
    assert_true(run->ready);
    assert_int_equal(run->device_count, 3);
    assert_true(raw_equal_string(run->devices[0].bus_id, "0000:03:00.0"));
    assert_true(raw_equal_string(run->devices[0].description, "NVIDIA GeForce GTX 1080 Ti"));
    assert_int_equal(run->devices[0].free_bytes.value, INT64_C(8720) << 20);
    assert_int_equal(run->devices[1].bus_id.length, 0);
    assert_true(raw_equal_string(run->devices[2].description, "AMD Radeon RX 7900 XTX"));
    assert_int_equal(run->model_count, 1);
    assert_true(raw_equal_string(run->models[0].path, "/m (version 2)/q.gguf"));
    assert_true(raw_equal_string(run->models[0].quantization, "Q4_K - Medium"));
    assert_int_equal(run->models[0].kind, MODEL_EMBEDDING);
    assert_true(run->models[0].parameters.value == INT64_C(8030000000));
    assert_int_equal(run->models[0].offloaded.value, 3);
    assert_int_equal(run->models[0].offloadable.value, 5);
    assert_int_equal(run->context_count, 1);
    assert_int_equal(run->contexts[0].context.value, 32768);
    assert_true(run->contexts[0].kv_unified);
    assert_int_equal(run->cache_count, 1);
    assert_int_equal(run->caches[0].cells.value, 4096);
    assert_int_equal(run->caches[0].layers.value, 36);
    assert_int_equal(run->caches[0].sequences.value, 4);
    assert_int_equal(run->caches[0].streams.value, 1);
    assert_true(raw_equal_string(run->caches[0].type_v, "turbo2"));
    assert_int_equal(run->caches[0].k_bytes, INT64_C(288) << 20);

    struct arena *arena = arena_new();
    struct load_run *copy = load_run_copy(arena, run);
    load_log_free(&log);
    assert_true(raw_equal_string(copy->models[0].path, "/m (version 2)/q.gguf"));
    assert_true(raw_equal_string(copy->devices[0].bus_id, "0000:03:00.0"));
    arena_free(&arena);
}

/* A log without end: runs are forgotten, memory stays bounded. */
static void test_bounds(void **state)
{
    (void)state;
    struct load_log *log = load_log_new();
    char *line = malloc(100000);
    memset(line, 'x', 100000);
    for (int i = 0; i < 300; i++) {
        load_log_feed(log, raw_from_string("llama_server: initializing ...\n" LOAD(
                               "/m.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\n"));
        load_log_feed(log, (struct raw_text){line, 100000}); /* longer than what is kept */
        load_log_feed(log, raw_from_string("\n"));
    }
    for (int i = 0; i < 100000; i++) {
        load_log_feed(log, raw_from_string("llama_kv_cache: CUDA0 KV buffer size = 1.00 MiB\n"));
    }
    assert_int_equal(load_log_run_count(log), LOAD_RUNS_MAX);
    const struct load_run *run = load_log_run(log, LOAD_RUNS_MAX - 1);
    assert_true(run->buffer_count < 4096);
    assert_true(load_log_run_is_last(log, LOAD_RUNS_MAX - 1));
    assert_false(load_log_run_is_last(log, 0));
    load_log_free(&log);
    free(line);
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum size_unit unit;
        bool valid;
        int64_t bytes;
    } rows[] = {
        {"= 5434.38 MiB", SIZE_BINARY, true,
         INT64_C(5698360443)}, /* 5434.38 * 2^20 = 5698360442.88 */
        {" = 400,00 MiB", SIZE_BINARY, true, INT64_C(400) << 20},
        {": 75,00 MiB", SIZE_BINARY, true, INT64_C(75) << 20},
        {"\"98.0 MiB\"", SIZE_BINARY, true, INT64_C(98) << 20},
        {"5.4 GiB", SIZE_BINARY, true, INT64_C(5798205850)}, /* 5.4 * 2^30 = 5798205849.6 */
        {"147.37 MB", SIZE_DECIMAL, true, INT64_C(147370000)},
        {"147.37 MiB", SIZE_DECIMAL, true, INT64_C(154528645)}, /* ...645.12 */
        {"3217 MB", SIZE_BINARY, true, INT64_C(3217) << 20},
        {"16050.12MB", SIZE_BINARY, true, INT64_C(16829770629)}, /* ...629.12 */
        {"8 B", SIZE_BINARY, true, 8},
        {"0.00 MiB", SIZE_BINARY, true, 0},
        {"5434.38", SIZE_BINARY, false, 0},
        {"5434.38 M", SIZE_BINARY, false, 0},
        {"-5 MiB", SIZE_BINARY, false, 0},
        {"MiB", SIZE_BINARY, false, 0},
        {"17592186036877 MiB", SIZE_BINARY, false, 0},
        {"999999999 TiB", SIZE_BINARY, false, 0},
        {"", SIZE_BINARY, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t bytes = 0;
        bool valid = log_size(raw_from_string(rows[i].text), rows[i].unit, &bytes, NULL);
        if (valid != rows[i].valid || (valid && bytes != rows[i].bytes)) {
            fail_msg("'%s': %d %lld", rows[i].text, valid, (long long)bytes);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *device;
        bool host;
    } rows[] = {
        {"CPU", "CPU", true},
        {"CPU_Mapped", "CPU", true},
        {"CPU_REPACK", "CPU", true},
        {"CPU_AARCH64", "CPU_AARCH64", true},
        {"CUDA_Host", "CUDA_Host", true},
        {"Vulkan_Host", "Vulkan_Host", true},
        {"BLAS", "BLAS", true},
        {"AMX", "AMX", true},
        {"CUDA0", "CUDA0", false},
        {"MTL0_Mapped", "MTL0", false},
        {"MTL0_Private", "MTL0", false},
        {"Metal_Mapped", "Metal", false},
        {"CUDA_Split", "CUDA_Split", false},
        {"RPC0[h:1]", "RPC0[h:1]", false},
        {"CPUX", "CPUX", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct raw_text name = raw_from_string(rows[i].name);
        assert_int_equal(load_buffer_is_host(name), rows[i].host);
        assert_true(raw_equal_string(load_buffer_device(name), rows[i].device));
    }
}

/* As Windows PowerShell redirects: UTF-16 behind its mark, cut anywhere behind that. */
static void test_wide(void **state)
{
    (void)state;
    static const char text[] = LOAD("C:\\m\\x.gguf") "load_tensors: CUDA0 model buffer size = 1.00 "
                                                     "MiB\r\n";
    char wide[2 * sizeof text + 2] = {(char)0xff, (char)0xfe};
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        wide[2 + 2 * i] = text[i];
    }
    for (size_t step = 2; step < 9; step++) {
        struct load_log *log = load_log_new();
        for (size_t at = 0; at < 2 * sizeof text; at += step) {
            size_t rest = 2 * sizeof text - at;
            load_log_feed(log, (struct raw_text){wide + at, rest < step ? rest : step});
        }
        load_log_end(log);
        assert_int_equal(load_log_run_count(log), 1);
        const struct load_run *run = load_log_run(log, 0);
        assert_int_equal(run->buffer_count, 1);
        assert_int_equal(run->buffers[0].bytes, 1 << 20);
        assert_true(raw_equal_string(run->models[0].path, "C:\\m\\x.gguf"));
        load_log_free(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts), cmocka_unit_test(test_wide),  cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

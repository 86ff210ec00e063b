/* Expected values: the lines themselves, as vLLM and SGLang of those versions print them; sizes by
 * hand, in bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/load_log.h"
#include "inspect/load_share.h"
#include "inspect/reported.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

#define VLLM_START                                                                                 \
    "(APIServer pid=1) INFO 10-01 09:12:00 [api_server.py:1896] vLLM API server version 0.11.0\n"
#define CONFIG(role)                                                                               \
    "(" role ") INFO 10-01 09:12:10 [core.py:77] Initializing a V1 LLM engine (v0.11.0) with "     \
    "config: model='Qwen/Qwen3-8B', speculative_config=None, dtype=torch.bfloat16, "               \
    "max_seq_len=40960, quantization=fp8, pooler_config=None, compilation_config={}\n"
#define TOOK(role, gib)                                                                            \
    "(" role ") INFO 10-01 09:12:31 [gpu_model_runner.py:2653] Model loading took " gib            \
    " GiB and 5.1 seconds\n"
#define CACHE(role, gib)                                                                           \
    "(" role ") INFO 10-01 09:12:51 [gpu_worker.py:298] Available KV cache memory: " gib " GiB\n"
#define POOL(role, tokens)                                                                         \
    "(" role ") INFO 10-01 09:12:51 [kv_cache_utils.py:1087] GPU KV cache size: " tokens " tokens" \
    "\n"

struct seen {
    struct arena *arena;
    struct load_log *log;
    struct model_list models;
};

static struct seen see(const char *text, const struct load_sharer *sharer)
{
    struct seen seen = {.arena = arena_new(), .log = load_log_new()};
    load_log_feed(seen.log, raw_from_string(text));
    load_log_end(seen.log);
    const struct load_run *run = load_log_run(seen.log, load_log_run_count(seen.log) - 1);
    run = sharer ? load_run_share(seen.arena, run, sharer) : run;
    seen.models = reported_models(seen.arena, run, NULL, TEXT("x.log"), STRENGTH_STRONG);
    return seen;
}

static void end(struct seen *seen)
{
    load_log_free(&seen->log);
    arena_free(&seen->arena);
}

static void assert_gib(struct figure figure, double gib)
{
    assert_int_equal(figure.how, HOW_REPORTED);
    assert_true(figure.value > (gib - 0.001) * GIB && figure.value < (gib + 0.001) * GIB);
}

static const struct model_device *device(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->device_count; i++) {
        if (text_equal_string(model->devices[i].device, name)) {
            return &model->devices[i];
        }
    }
    fail_msg("no device %s", name);
    return NULL;
}

static void test_vllm(void **unused)
{
    (void)unused;
    static const char text[] = VLLM_START CONFIG("EngineCore_DP0 pid=271")
        TOOK("EngineCore_DP0 pid=271", "8.2683") CACHE("EngineCore_DP0 pid=271", "54.87")
            POOL("EngineCore_DP0 pid=271",
                 "399,536") "(EngineCore_DP0 pid=271) INFO 10-01 09:12:59 "
                            "[gpu_model_runner.py:3480] Graph "
                            "capturing finished in 4 secs, took 0.46 GiB\n"
                            "(APIServer pid=1) INFO:     Application startup complete.\n";
    struct seen seen = see(text, NULL);
    assert_int_equal(seen.models.count, 1);
    const struct model *model = &seen.models.items[0];
    assert_true(text_equal_string(model->name, "Qwen/Qwen3-8B"));
    assert_true(text_equal_string(model->quantization, "fp8"));
    assert_int_equal(model->kind, MODEL_LLM);
    assert_true(model->context.value == 40960 && model->kv_pool_tokens.value == 399536);
    assert_int_equal(model->kv_pool_tokens.how, HOW_REPORTED);
    assert_int_equal(model->device_count, 1);
    assert_gib(device(model, "GPU")->weights_bytes, 8.2683);
    assert_gib(device(model, "GPU")->kv_cache_bytes, 54.87);
    assert_gib(device(model, "GPU")->other_bytes, 0.46);
    const struct load_run *run = load_log_run(seen.log, 0);
    assert_true(raw_equal_string(run->runtime, "vllm"));
    assert_true(raw_equal_string(run->version, "0.11.0"));
    assert_true(run->ready);
    end(&seen);
}

static const char two_ranks[] =
    VLLM_START CONFIG("EngineCore_DP0 pid=271") TOOK("Worker_TP0 pid=280", "7.51")
        TOOK("Worker_TP1 pid=281", "7.52") CACHE("Worker_TP0 pid=280", "20.10")
            CACHE("Worker_TP1 pid=281", "20.00") POOL("EngineCore_DP0 pid=271", "290,000");

/* Each worker holds its own part and no other's; the engine's own pool is theirs. */
static void test_vllm_share(void **unused)
{
    (void)unused;
    static const struct {
        struct load_sharer sharer;
        size_t devices;
        double weights;
        double pool;
    } cases[] = {
        {{281, 281, {"VLLM::Worker_TP1", 16}}, 1, 7.52, 290000},
        {{90280, 280, {"VLLM::Worker_TP0", 16}}, 1, 7.51, 290000}, /* in a container */
        {{271, 271, {"VLLM::EngineCore", 16}}, 0, 0, 290000},
        {{999, 999, {"VLLM::Worker_TP1", 16}}, 0, 0, 0}, /* an older run's lines */
        {{1, 1, {"vllm\0serve", 10}}, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen = see(two_ranks, &cases[i].sharer);
        assert_int_equal(seen.models.count, 1);
        const struct model *model = &seen.models.items[0];
        assert_true(text_equal_string(model->name, "Qwen/Qwen3-8B"));
        assert_int_equal(model->device_count, cases[i].devices);
        if (cases[i].devices) {
            assert_gib(device(model, "GPU")->weights_bytes, cases[i].weights);
        }
        assert_int_equal(figure_is_known(model->kv_pool_tokens), cases[i].pool > 0);
        assert_true(model->kv_pool_tokens.value == cases[i].pool);
        end(&seen);
    }
}

/* 0.6: the first process does not say who it is, and the pool is told in blocks. */
static void test_vllm_of_2024(void **unused)
{
    (void)unused;
    static const char text[] =
        "INFO 02-11 07:40:20 llm_engine.py:237] Initializing an LLM engine (v0.6.4.post1) with "
        "config: model='/models/R1-14B', speculative_config=None, max_seq_len=32768, "
        "quantization=None, \n"
        "(VllmWorkerProcess pid=1786) INFO 02-11 07:40:45 model_runner.py:1115] Loading model "
        "weights took 13.9476 GB\n"
        "INFO 02-11 07:40:45 model_runner.py:1115] Loading model weights took 13.9476 GB\n"
        "(VllmWorkerProcess pid=1786) INFO 02-11 07:40:47 worker.py:267] model weights take "
        "13.95GiB; non_torch_memory takes 0.20GiB; PyTorch activation peak memory takes 0.37GiB; "
        "the rest of the memory reserved for KV Cache is 8.67GiB.\n"
        "INFO 02-11 07:40:47 worker.py:267] model weights take 13.95GiB; non_torch_memory takes "
        "0.25GiB; PyTorch activation peak memory takes 0.19GiB; the rest of the memory reserved "
        "for KV Cache is 8.69GiB.\n"
        "INFO 02-11 07:40:48 executor_base.py:111] # cuda blocks: 5935, # CPU blocks: 2730\n"
        "INFO 02-11 07:40:48 executor_base.py:116] Maximum concurrency for 32768 tokens per "
        "request: 2.90x\n";
    struct seen seen = see(text, NULL);
    const struct model *model = &seen.models.items[0];
    assert_true(text_equal_string(model->path, "/models/R1-14B"));
    assert_true(text_equal_string(model->name, "R1-14B"));
    assert_true(text_is_none(model->quantization));
    assert_true(model->kv_pool_tokens.value == 5935 * 16);
    assert_gib(device(model, "GPU")->weights_bytes, 13.95);
    assert_gib(device(model, "GPU")->kv_cache_bytes, 8.69);
    assert_gib(device(model, "worker 1786")->kv_cache_bytes, 8.67);
    end(&seen);
    const struct load_sharer first = {1700, 1700, {"python\0-m\0vllm", 14}};
    seen = see(text, &first);
    assert_int_equal(seen.models.items[0].device_count, 1);
    assert_gib(seen.models.items[0].devices[0].kv_cache_bytes, 8.69);
    end(&seen);
}

/* An engine and its only worker are two processes: what the one says does not end the other. */
static void test_vllm_engine_beside_worker(void **unused)
{
    (void)unused;
    static const char text[] = VLLM_START CONFIG("EngineCore pid=270") TOOK("Worker pid=271",
                                                                            "8.00")
        POOL("EngineCore pid=270", "1,000") "(APIServer pid=1) INFO: GPU KV cache size: 5 tokens\n";
    const struct load_sharer worker = {271, 271, {"VLLM::Worker", 12}};
    struct seen seen = see(text, NULL);
    assert_gib(device(&seen.models.items[0], "Worker")->weights_bytes, 8);
    end(&seen);
    seen = see(text, &worker);
    assert_int_equal(seen.models.items[0].device_count, 1);
    assert_gib(seen.models.items[0].devices[0].weights_bytes, 8);
    end(&seen);
}

/* Ray's workers may be on other machines, where the same pid is another process. */
static void test_vllm_over_ray(void **unused)
{
    (void)unused;
    static const char text[] = VLLM_START CONFIG("EngineCore_DP0 pid=270")
        TOOK("RayWorkerWrapper pid=271, ip=192.0.2.7", "8.00");
    const struct load_sharer same_pid = {271, 271, {"ray::RayWorkerWrapper", 21}};
    struct seen seen = see(text, NULL);
    assert_gib(device(&seen.models.items[0], "worker 271")->weights_bytes, 8);
    end(&seen);
    seen = see(text, &same_pid);
    assert_int_equal(seen.models.items[0].device_count, 0);
    end(&seen);
}

/* A later start in the same file, an engine that came to nothing, one that sleeps. */
static void test_vllm_runs(void **unused)
{
    (void)unused;
    struct seen seen =
        see(VLLM_START CONFIG("EngineCore_DP0 pid=271") TOOK("EngineCore_DP0 pid=271", "8.00")
                VLLM_START CONFIG("EngineCore_DP0 pid=400") TOOK("EngineCore_DP0 pid=400", "3.00"),
            NULL);
    assert_int_equal(load_log_run_count(seen.log), 2);
    assert_gib(seen.models.items[0].devices[0].weights_bytes, 3);
    assert_true(figure_is_known(seen.models.items[0].devices[0].weights_bytes));
    end(&seen);
    seen = see(VLLM_START CONFIG("EngineCore_DP0 pid=271") TOOK(
                   "EngineCore_DP0 pid=271", "8.00") "(EngineCore_DP0 pid=271) ERROR 10-01 "
                                                     "09:12:52 [core.py:708] EngineCore failed to "
                                                     "start.\n",
               NULL);
    assert_int_equal(seen.models.count, 0);
    end(&seen);
    seen = see(VLLM_START CONFIG("EngineCore_DP0 pid=271") TOOK("EngineCore_DP0 pid=271", "8.00")
                   CACHE("EngineCore_DP0 pid=271",
                         "20.00") "(EngineCore_DP0 pid=271) INFO 10-01 10:00:00 "
                                  "[gpu_worker.py:117] Sleep mode freed "
                                  "27.10 GiB memory, 0.90 GiB memory is still in use.\n",
               NULL);
    assert_int_equal(seen.models.items[0].device_count, 0);
    end(&seen);
}

#define SGLANG(rank, words) "[2025-11-11 04:05:43" rank "] " words "\n"
#define ARGUMENTS                                                                                  \
    SGLANG("",                                                                                     \
           "server_args=ServerArgs(model_path='meta-llama/Llama-3.1-8B-Instruct', port=30000, "    \
           "quantization=None, speculative_draft_model_path='org/eagle')")

static const char sglang[] = ARGUMENTS SGLANG(
    " TP0", "Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=36.4 "
            "GB, mem usage=7.55 GB.") SGLANG(" TP1", "Load weight end. type=LlamaForCausalLM, "
                                                     "dtype=torch.bfloat16, avail mem=36.4 "
                                                     "GB, mem usage=7.56 GB.")
    SGLANG(" TP0", "KV Cache is allocated. #tokens: 183133, K size: 5.59 GB, V size: 5.50 GB")
        SGLANG(" TP1", "KV Cache is allocated. #tokens: 183133, K size: 5.59 GB, V size: 5.59 GB")
            SGLANG(" TP0",
                   "Capture cuda graph end. Time elapsed: 5.48 s. mem usage=0.49 GB. avail mem=5.0 "
                   "GB.")
                SGLANG(
                    " TP0",
                    "Load weight end. type=LlamaEagle, dtype=torch.bfloat16, avail mem=4.4 GB, mem "
                    "usage=0.70 GB.")
                    SGLANG(
                        " TP0",
                        "KV Cache is allocated. #tokens: 183133, K size: 0.20 GB, V size: 0.20 GB")
                        SGLANG(" TP0", "max_total_num_tokens=183133, max_prefill_tokens=16384, "
                                       "context_len=131072, "
                                       "available_gpu_mem=4.9 GB")
                            SGLANG("", "The server is fired up and ready to roll!");

static void test_sglang(void **unused)
{
    (void)unused;
    struct seen seen = see(sglang, NULL);
    assert_int_equal(seen.models.count, 2);
    const struct model *model = &seen.models.items[0], *draft = &seen.models.items[1];
    assert_true(text_equal_string(model->name, "meta-llama/Llama-3.1-8B-Instruct"));
    assert_true(model->context.value == 131072 && model->kv_pool_tokens.value == 183133);
    assert_gib(device(model, "TP0")->weights_bytes, 7.55);
    assert_gib(device(model, "TP1")->weights_bytes, 7.56);
    assert_gib(device(model, "TP0")->kv_cache_bytes, 11.09);
    assert_gib(device(model, "TP1")->kv_cache_bytes, 11.18);
    assert_gib(device(model, "TP0")->other_bytes, 0.49);
    assert_true(text_equal_string(draft->name, "org/eagle"));
    assert_int_equal(draft->kind, MODEL_DRAFT);
    assert_gib(device(draft, "TP0")->weights_bytes, 0.70);
    assert_gib(device(draft, "TP0")->kv_cache_bytes, 0.40);
    assert_false(figure_is_known(draft->kv_pool_tokens));
    end(&seen);
}

/* Other forms of what stands before a line. */
static void test_sglang_prefixes(void **unused)
{
    (void)unused;
    static const char *const rows[][2] = {
        {"[14:32:01 TP0] ", "TP0"},
        {"[2025-11-11 04:05:43 DP1 TP0 EP0] ", "DP1 TP0 EP0"},
        {"[2025-11-11 04:05:43] ", "GPU"},
        {"[gpu=3] ", "gpu=3"},
        {"sglang-1  | [2025-11-11 04:05:43 TP7] ", "TP7"},
        {"", "GPU"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "%sLoad weight end. type=X, avail mem=3.4 GB, mem usage=2.00 GB.\n", rows[i][0]);
        struct seen seen = see(text, NULL);
        assert_gib(device(&seen.models.items[0], rows[i][1])->weights_bytes, 2);
        end(&seen);
    }
}

static void test_sglang_share(void **unused)
{
    (void)unused;
    static const struct {
        const char *title;
        double weights; /* 0: none */
    } cases[] = {{"sglang::scheduler_TP1   ", 7.56},
                 {"sglang::scheduler_TP0_EP0", 7.55},
                 {"sglang::scheduler_TP2", 0},
                 {"sglang::detokenizer", 0},
                 {"python -m sglang.launch_server --tp 2", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct load_sharer sharer = {.pid = 7, .title = raw_from_string(cases[i].title)};
        struct seen seen = see(sglang, &sharer);
        const struct model *model = &seen.models.items[0];
        assert_int_equal(model->device_count, cases[i].weights > 0);
        if (model->device_count) {
            assert_gib(device(model, "GPU")->weights_bytes, cases[i].weights);
        }
        end(&seen);
    }
}

/* Compressed attention has one row for both; state-space layers have a pool of their own. */
static void test_sglang_other_pools(void **unused)
{
    (void)unused;
    struct seen seen = see(
        SGLANG("", "server_args=ServerArgs(model_path='/m/next', port=30000)") SGLANG(
            "",
            "Load weight end. type=X, dtype=torch.bfloat16, avail mem=3.4 GB, mem usage=2.00 GB.")
            SGLANG("",
                   "Mamba Cache is allocated. max_mamba_cache_size: 153, conv_state size: 0.55GB, "
                   "ssm_state size: 20.90GB ")
                SGLANG("", "KV Cache is allocated. #tokens: 5000, KV size: 3.25 GB"),
        NULL);
    const struct model *model = &seen.models.items[0];
    assert_gib(device(model, "GPU")->kv_cache_bytes, 0.55 + 20.90 + 3.25);
    assert_true(model->kv_pool_tokens.value == 5000);
    end(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vllm),
        cmocka_unit_test(test_vllm_share),
        cmocka_unit_test(test_vllm_engine_beside_worker),
        cmocka_unit_test(test_vllm_over_ray),
        cmocka_unit_test(test_vllm_of_2024),
        cmocka_unit_test(test_vllm_runs),
        cmocka_unit_test(test_sglang),
        cmocka_unit_test(test_sglang_share),
        cmocka_unit_test(test_sglang_prefixes),
        cmocka_unit_test(test_sglang_other_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

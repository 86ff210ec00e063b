/* Replies of local servers: captured ones of llama-server and Ollama, and replies in the form that
 * the other servers document. Nothing is sent anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "inspect/servers/prometheus.h"
#include "inspect/servers/server.h"
#include "snapshot/json.h"

static struct raw_text case_file(const char *name)
{
    char path[1024], *bytes;
    size_t size;
    struct problem problem;
    const char *folder = getenv("GPUTASKMAN_TEST_CASES");
    snprintf(path, sizeof path, "%s/models/%s", folder ? folder : "tests/cases", name);
    if (!file_read_all(path, 1 << 20, &bytes, &size, &problem))
        fail_msg("%s", problem.text);
    return (struct raw_text){bytes, size};
}

static bool read_case(struct arena *arena, const struct server_words *words, const char *path,
                      const char *file, struct server_state *state)
{
    struct raw_text body = case_file(file);
    bool read = words->read(arena, path, body, state);
    free((void *)body.bytes);
    return read;
}

static bool read_string(struct arena *arena, const struct server_words *words, const char *path,
                        const char *body, struct server_state *state)
{
    return words->read(arena, path, raw_from_string(body), state);
}

static void assert_raw(struct raw_text raw, const char *wanted)
{
    assert_int_equal(raw.length, strlen(wanted));
    assert_memory_equal(raw.bytes, wanted, raw.length);
}

static void assert_figure(struct figure figure, double wanted)
{
    assert_int_equal(figure.how, HOW_REPORTED);
    assert_true(figure.value > wanted - 0.001 && figure.value < wanted + 0.001);
}

static void test_llama_server(void **unused)
{
    (void)unused;
    struct arena *arena = arena_new();
    struct server_state state;
    server_state_clear(&state);
    assert_true(read_case(arena, &server_llama, "/props",
                          "proc-server-default-verbosity/props.json", &state));
    assert_true(read_case(arena, &server_llama, "/v1/models",
                          "proc-server-default-verbosity/v1_models.json", &state));
    assert_true(read_case(arena, &server_llama, "/slots",
                          "proc-server-default-verbosity/slots_busy.json", &state));
    assert_true(read_case(arena, &server_llama, "/metrics",
                          "proc-server-default-verbosity/metrics_busy.txt", &state));
    assert_int_equal(state.model_count, 1);
    assert_raw(state.models[0].path, "/home/user/models/llama-gqa-f16.gguf");
    assert_raw(state.models[0].quantization, "F16");
    assert_figure(state.models[0].parameters, 111168);
    assert_figure(state.models[0].weights_bytes, 223488);
    assert_figure(state.models[0].context_trained, 131072);
    assert_figure(state.slots, 4);
    assert_figure(state.slots_busy, 1);
    assert_figure(state.slot_context, 8192);
    assert_figure(state.context_used, 13);
    assert_true(state.models[0].loaded);
    assert_false(state.router || state.sleeping);
    arena_free(&arena);
}

static void test_llama_server_states(void **unused)
{
    (void)unused;
    struct arena *arena = arena_new();
    struct server_state state;
    server_state_clear(&state);
    assert_true(
        read_case(arena, &server_llama, "/props", "proc-server-router/parent/props.json", &state));
    assert_true(read_case(arena, &server_llama, "/v1/models",
                          "proc-server-router/parent/v1_models.json", &state));
    assert_true(state.router);
    assert_int_equal(state.model_count, 0);

    server_state_clear(&state);
    assert_true(read_string(arena, &server_llama, "/props",
                            "{\"model_path\":\"/m/x.gguf\",\"is_sleeping\":true}", &state));
    assert_true(state.sleeping);
    /* 2024-09: the state is a number, the model's path is in the settings. */
    server_state_clear(&state);
    assert_true(read_string(arena, &server_llama, "/props",
                            "{\"default_generation_settings\":{\"model\":\"/m/old.gguf\","
                            "\"n_ctx\":512},\"total_slots\":2}",
                            &state));
    assert_raw(state.models[0].path, "/m/old.gguf");
    assert_true(read_string(arena, &server_llama, "/slots",
                            "[{\"id\":0,\"n_ctx\":512,\"state\":1,\"prompt\":\"secret words\","
                            "\"next_token\":{\"n_decoded\":7}},{\"id\":1,\"state\":0}]",
                            &state));
    assert_figure(state.slots_busy, 1);
    assert_false(figure_is_known(state.context_used));
    /* Until mid 2025 the share of the cache in use was a metric. */
    assert_true(read_string(arena, &server_llama, "/metrics",
                            "llamacpp:kv_cache_usage_ratio 0.25\nllamacpp:requests_deferred 3\n",
                            &state));
    assert_figure(state.kv_used_percent, 25);
    assert_figure(state.requests_waiting, 3);
    arena_free(&arena);
}

static void test_ollama(void **unused)
{
    (void)unused;
    struct arena *arena = arena_new();
    struct server_state state;
    int64_t expires_at;
    server_state_clear(&state);
    assert_true(read_case(arena, &server_ollama, "/api/ps", "ollama-api-ps/ps.json", &state));
    assert_int_equal(state.model_count, 3);
    assert_raw(state.models[0].id, "tinyllama:latest");
    assert_figure(state.models[0].context, 8192);
    double percent = 100 * state.models[0].vram_bytes.value / state.models[0].total_bytes.value;
    assert_true(percent > 62.65 && percent < 62.75);
    assert_true(time_parse(TEXT("2026-11-30T00:05:00.123456789Z"), &expires_at));
    assert_true(state.models[0].expires_at_ns == expires_at);
    assert_true(state.models[1].expires_at_ns == INT64_MAX); /* year 2318: never */
    assert_figure(state.models[2].vram_bytes, 0);
    assert_false(figure_is_known(state.models[2].context)); /* 0 is not reported */
    assert_true(state.models[2].expires_at_ns == TIME_UNKNOWN);
    static const char *const empty[] = {"ollama-api-ps/ps-empty.json",
                                        "ollama-api-ps/ps-null.json"};
    for (size_t i = 0; i < 2; i++) {
        server_state_clear(&state);
        assert_true(read_case(arena, &server_ollama, "/api/ps", empty[i], &state));
        assert_int_equal(state.model_count, 0);
    }
    server_state_clear(&state);
    assert_true(read_case(arena, &server_ollama, "/api/ps", "ollama-api-ps/ps-old.json", &state));
    assert_false(figure_is_known(state.models[0].context));
    arena_free(&arena);
}

static void test_vllm(void **unused)
{
    (void)unused;
    static const char metrics[] =
        "# HELP vllm:num_requests_running Number of requests.\n"
        "# TYPE vllm:num_requests_running gauge\n"
        "vllm:num_requests_running{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 2.0\n"
        "vllm:num_requests_running{engine=\"1\",model_name=\"Qwen/Qwen3-8B\"} 1.0\n"
        "vllm:num_requests_waiting{engine=\"0\"} 5.0\n"
        "vllm:num_requests_waiting_by_reason{reason=\"capacity\"} 5.0\n"
        "vllm:kv_cache_usage_perc{engine=\"0\"} 0.5\n"
        "vllm:cache_config_info{block_size=\"16\",cache_dtype=\"auto\",kv_cache_size_tokens="
        "\"None\",kv_cache_memory_bytes=\"5000000000\",num_gpu_blocks=\"1000\"} 1.0\n";
    struct arena *arena = arena_new();
    struct server_state state;
    server_state_clear(&state);
    assert_true(read_string(arena, &server_vllm, "/v1/models",
                            "{\"object\":\"list\",\"data\":[{\"id\":\"qwen\",\"root\":"
                            "\"Qwen/Qwen3-8B\",\"max_model_len\":40960,\"parent\":null},"
                            "{\"id\":\"sql\",\"root\":\"/lora/sql\",\"parent\":\"qwen\"}]}",
                            &state));
    assert_true(read_string(arena, &server_vllm, "/metrics", metrics, &state));
    assert_int_equal(state.model_count, 2);
    assert_figure(state.models[0].context, 40960);
    assert_raw(state.models[1].kind, "adapter");
    assert_figure(state.requests_running, 3);
    assert_figure(state.requests_waiting, 5);
    assert_figure(state.kv_used_percent, 50);
    assert_figure(state.kv_tokens, 16000);
    assert_figure(state.kv_bytes, 5e9);
    assert_int_equal(state.engines, 1);
    arena_free(&arena);
}

static void test_others(void **unused)
{
    (void)unused;
    struct arena *arena = arena_new();
    struct server_state state;
    server_state_clear(&state);
    assert_true(read_string(arena, &server_lm_studio, "/api/v0/models",
                            "{\"data\":[{\"id\":\"a\",\"type\":\"embeddings\",\"state\":\"loaded\","
                            "\"loaded_context_length\":2048},{\"id\":\"b\",\"state\":"
                            "\"not-loaded\"}]}",
                            &state));
    assert_int_equal(state.model_count, 1);
    assert_figure(state.models[0].context, 2048);
    server_state_clear(&state);
    assert_true(read_string(arena, &server_sglang, "/metrics",
                            "sglang:token_usage{tp_rank=\"0\"} 0.28\nsglang:num_running_reqs 4\n"
                            "sglang:num_queue_reqs 1\nsglang:gen_throughput 86.5\n",
                            &state));
    assert_figure(state.kv_used_percent, 28);
    assert_figure(state.requests_running, 4);
    assert_figure(state.generation_tokens_per_second, 86.5);
    server_state_clear(&state);
    assert_true(read_string(arena, &server_tgi, "/info",
                            "{\"model_id\":\"org/m\",\"model_dtype\":\"torch.bfloat16\","
                            "\"max_total_tokens\":4096}",
                            &state));
    assert_raw(state.models[0].id, "org/m");
    server_state_clear(&state);
    assert_true(
        read_string(arena, &server_tabby, "/v1/model",
                    "{\"id\":\"exl\",\"parameters\":{\"max_seq_len\":8192,\"cache_size\":16384,"
                    "\"max_batch_size\":null}}",
                    &state));
    assert_figure(state.models[0].context, 8192);
    assert_figure(state.kv_tokens, 16384);
    server_state_clear(&state);
    assert_true(read_string(arena, &server_kobold, "/api/v1/model",
                            "{\"result\":\"koboldcpp/Mistral-7B\"}", &state));
    assert_true(read_string(arena, &server_kobold, "/api/extra/perf",
                            "{\"last_eval_speed\":31.5,\"queue\":2,\"idle\":0}", &state));
    assert_raw(state.models[0].id, "Mistral-7B");
    assert_figure(state.requests_running, 1);
    assert_figure(state.requests_waiting, 2);
    server_state_clear(&state);
    assert_true(read_string(arena, &server_comfy, "/queue",
                            "{\"queue_running\":[[0,\"id\",{\"3\":{}}]],\"queue_pending\":[]}",
                            &state));
    assert_figure(state.requests_running, 1);
    assert_figure(state.requests_waiting, 0);
    arena_free(&arena);
}

/* As LM Studio 0.4 answers: quantization is an object, an instance has its own context. */
static void test_lm_studio_v1(void **unused)
{
    (void)unused;
    static const char v1[] =
        "{\"models\":[{\"type\":\"llm\",\"publisher\":\"p\",\"key\":\"gemma-3-270m-it-qat\","
        "\"architecture\":\"gemma3\",\"quantization\":{\"name\":\"Q4_0\",\"bits_per_weight\":4},"
        "\"size_bytes\":241410208,\"params_string\":\"270M\",\"loaded_instances\":[{\"id\":"
        "\"gemma-3-270m-it-qat\",\"config\":{\"context_length\":4096,\"flash_attention\":false}},"
        "{\"id\":\"gemma-3-270m-it-qat:2\",\"config\":{\"context_length\":8192}}],"
        "\"max_context_length\":32768,\"format\":\"gguf\",\"description\":null},"
        "{\"type\":\"embedding\",\"key\":\"unloaded\",\"loaded_instances\":[]}]}";
    struct arena *arena = arena_new();
    struct server_state state;
    server_state_clear(&state);
    assert_true(read_string(arena, &server_lm_studio, "/api/v1/models", v1, &state));
    assert_int_equal(state.model_count, 2);
    assert_raw(state.models[0].quantization, "Q4_0");
    assert_raw(state.models[0].architecture, "gemma3");
    assert_raw(state.models[0].format, "gguf");
    assert_figure(state.models[0].context, 4096);
    assert_figure(state.models[0].weights_bytes, 241410208);
    assert_figure(state.models[1].context, 8192);
    arena_free(&arena);
}

/* Lines of eight tensor-parallel ranks say the same, those of two replicas add up. */
static void test_sglang_ranks(void **unused)
{
    (void)unused;
    static const char ranks[] =
        "sglang:num_queue_reqs{engine_type=\"unified\",model_name=\"m\",tp_rank=\"0\"} 3.0\n"
        "sglang:num_queue_reqs{engine_type=\"unified\",model_name=\"m\",tp_rank=\"1\"} 11.0\n"
        "sglang:token_usage{model_name=\"m\",tp_rank=\"0\"} 0.42 1790347303000\n"
        "sglang:num_queue_reqs_total{model_name=\"m\"} 999\n"
        "sglang:num_running_reqs{dp_rank=\"0\",tp_rank=\"0\"} 2.0\n"
        "sglang:num_running_reqs{dp_rank=\"0\",tp_rank=\"1\"} 2.0\n"
        "sglang:num_running_reqs{dp_rank=\"1\",tp_rank=\"0\"} 5.0\n"
        "sglang:num_running_reqs{dp_rank=\"99999999999\"} 7.0\n"
        "sglang:max_total_num_tokens{dp_rank=\"0\"} 1000\n"
        "sglang:max_total_num_tokens{dp_rank=\"1\"} 1000\n";
    struct arena *arena = arena_new();
    struct server_state state;
    server_state_clear(&state);
    assert_true(read_string(arena, &server_sglang, "/metrics", ranks, &state));
    assert_figure(state.requests_waiting, 11);
    assert_figure(state.kv_used_percent, 42);
    assert_figure(state.requests_running, 7);
    assert_figure(state.kv_tokens, 2000);
    assert_int_equal(state.engines, 2);
    assert_false(figure_is_known(state.generation_tokens_per_second));
    arena_free(&arena);
}

/* A whole reply of 1.9x; before the first generation its speeds are 0 and mean nothing. */
static void test_kobold_performance(void **unused)
{
    (void)unused;
    static const char busy[] =
        "{\"last_process\":120,\"last_eval\":4000,\"last_token_count\":180,\"last_input_count\":"
        "900,"
        "\"last_process_speed\":8333.3,\"last_eval_speed\":250.0,\"last_seed\":-1,\"total_gens\":"
        "42,"
        "\"stop_reason\":1,\"queue\":1,\"idle\":0,\"uptime\":3600.5,\"quiet\":false}";
    static const char fresh[] = "{\"last_process_speed\":0,\"last_eval_speed\":0,\"total_gens\":0,"
                                "\"queue\":0,\"idle\":1}";
    struct arena *arena = arena_new();
    struct server_state state;
    server_state_clear(&state);
    assert_true(read_string(arena, &server_kobold, "/api/extra/perf", busy, &state));
    assert_figure(state.generation_tokens_per_second, 250);
    assert_figure(state.prompt_tokens_per_second, 8333.3);
    assert_figure(state.requests_waiting, 1);
    assert_figure(state.requests_running, 1);
    server_state_clear(&state);
    assert_true(read_string(arena, &server_kobold, "/api/extra/perf", fresh, &state));
    assert_false(figure_is_known(state.generation_tokens_per_second));
    assert_figure(state.requests_running, 0);
    arena_free(&arena);
}

static void test_malformed(void **unused)
{
    (void)unused;
    static const char *const bodies[] = {"",
                                         "null",
                                         "[]",
                                         "{}",
                                         "17",
                                         "\"x\"",
                                         "{\"data\":7}",
                                         "{\"models\":{}}",
                                         "{\"model_path\":",
                                         "\xff\xfe",
                                         "[[[["};
    struct arena *arena = arena_new();
    char deep[20001];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    for (int kind = SERVER_NONE + 1; kind < SERVER_KIND_COUNT; kind++) {
        const struct server_words *words = server_words((enum server_kind)kind);
        for (size_t p = 0; words->paths[p]; p++) {
            struct server_state state;
            server_state_clear(&state);
            for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
                read_string(arena, words, words->paths[p], bodies[i], &state);
            assert_false(read_string(arena, words, words->paths[p], deep, &state));
            for (size_t i = 0; i < state.model_count; i++)
                assert_false(state.models[i].id.length > 0);
        }
    }
    struct server_state state;
    server_state_clear(&state);
    read_string(arena, &server_llama, "/slots",
                "[{\"n_ctx\":-5,\"is_processing\":true,"
                "\"n_prompt_tokens\":1e300}]",
                &state);
    assert_false(figure_is_known(state.context_used));
    assert_false(figure_is_known(state.slot_context));
    arena_free(&arena);
}

static void test_prometheus(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool good;
        double value;
    } rows[] = {
        {"a 1", true, 1},
        {"a:b_c{x=\"1\"} 2.5 1700000000", true, 2.5},
        {"a{x=\"}\\\"{\"} 3e2", true, 300},
        {"a -1.25E-1", true, -0.125},
        {"a +Inf", false, 0},
        {"a NaN", false, 0},
        {"a 1,5", false, 0},
        {"a", false, 0},
        {"a{x=\"1\" 2", false, 0},
        {"# a 1", false, 0},
        {"a 1e999", false, 0},
        {"{} 1", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct raw_text rest = raw_from_string(rows[i].line);
        struct prometheus_sample sample;
        assert_int_equal(prometheus_next(&rest, &sample), rows[i].good);
        if (rows[i].good)
            assert_true(sample.value > rows[i].value - 1e-9 && sample.value < rows[i].value + 1e-9);
    }
    struct raw_text rest = raw_from_string("a{one=\"1\",two=\"b,c=\\\"d\",three=\"\"} 1"), value;
    struct prometheus_sample sample;
    assert_true(prometheus_next(&rest, &sample));
    assert_true(prometheus_label(&sample, "two", &value));
    assert_raw(value, "b,c=\\\"d");
    assert_true(prometheus_label(&sample, "three", &value));
    assert_int_equal(value.length, 0);
    assert_false(prometheus_label(&sample, "c", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_llama_server), cmocka_unit_test(test_llama_server_states),
        cmocka_unit_test(test_ollama),       cmocka_unit_test(test_vllm),
        cmocka_unit_test(test_others),       cmocka_unit_test(test_lm_studio_v1),
        cmocka_unit_test(test_sglang_ranks), cmocka_unit_test(test_kobold_performance),
        cmocka_unit_test(test_malformed),    cmocka_unit_test(test_prometheus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

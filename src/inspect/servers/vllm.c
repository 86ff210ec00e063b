/* vLLM: docs.vllm.ai, production metrics, 0.6 to 0.19. */
#include <string.h>

#include "base/number.h"
#include "inspect/servers/open_ai.h"
#include "inspect/servers/prometheus.h"
#include "inspect/servers/reply.h"

static const char *const paths[] = {"/v1/models", "/metrics", NULL};

/* Several engines (data parallel) have a line each: counts are added, a share is the largest. */
static void add_count(struct figure *figure, double value)
{
    *figure = figure_reported((figure_is_known(*figure) ? figure->value : 0) + value);
}

static void see_share(struct figure *percent, double value)
{
    if (value <= 1.001 && (!figure_is_known(*percent) || percent->value < value * 100))
        *percent = figure_reported(value > 1 ? 100 : value * 100);
}

static bool label_number(const struct prometheus_sample *sample, const char *label, int64_t *value)
{
    struct raw_text text;
    return prometheus_label(sample, label, &text) && number_parse_i64(text, value, NULL) &&
           *value >= 0;
}

/* Size of the pre-allocated pool; blocks times block size is right with one cache group only. */
static void read_pool(const struct prometheus_sample *sample, struct server_state *state)
{
    int64_t tokens, blocks, block_size, bytes;
    if (label_number(sample, "kv_cache_size_tokens", &tokens))
        add_count(&state->kv_tokens, (double)tokens);
    else if (label_number(sample, "num_gpu_blocks", &blocks) &&
             label_number(sample, "block_size", &block_size))
        add_count(&state->kv_tokens, (double)blocks * (double)block_size);
    if (label_number(sample, "kv_cache_memory_bytes", &bytes) && bytes > 0)
        state->kv_bytes = figure_reported((double)bytes);
    state->engines++;
}

static bool read_metrics(struct raw_text body, struct server_state *state)
{
    struct prometheus_sample sample;
    bool any = false;
    while (prometheus_next(&body, &sample)) {
        any = true;
        if (raw_equal_string(sample.name, "vllm:num_requests_running"))
            add_count(&state->requests_running, sample.value);
        else if (raw_equal_string(sample.name, "vllm:num_requests_waiting"))
            add_count(&state->requests_waiting, sample.value);
        else if (raw_equal_string(sample.name, "vllm:kv_cache_usage_perc") ||
                 raw_equal_string(sample.name, "vllm:gpu_cache_usage_perc"))
            see_share(&state->kv_used_percent, sample.value);
        else if (raw_equal_string(sample.name, "vllm:avg_prompt_throughput_toks_per_s"))
            add_count(&state->prompt_tokens_per_second, sample.value);
        else if (raw_equal_string(sample.name, "vllm:avg_generation_throughput_toks_per_s"))
            add_count(&state->generation_tokens_per_second, sample.value);
        else if (raw_equal_string(sample.name, "vllm:cache_config_info"))
            read_pool(&sample, state);
    }
    return any;
}

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    return strcmp(path, "/metrics") == 0 ? read_metrics(body, state)
                                         : open_ai_read_models(arena, body, state);
}

const struct server_words server_vllm = {SERVER_VLLM, "vLLM", paths, read_reply};

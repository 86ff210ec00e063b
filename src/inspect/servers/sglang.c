/* SGLang: docs.sglang.ai, production metrics (needs --enable-metrics). /get_server_info is not
 * asked: it answers with the server's arguments, keys included. */
#include <string.h>

#include "base/number.h"
#include "inspect/servers/open_ai.h"
#include "inspect/servers/prometheus.h"
#include "inspect/servers/reply.h"

static const char *const paths[] = {"/v1/models", "/metrics", NULL};

enum { REPLICAS_MAX = 64 };

/* Tensor-parallel ranks have a line each with the same figure: the largest counts. Replicas (data
 * parallel) have requests and pools of their own: those are added. */
struct replicas {
    double values[REPLICAS_MAX];
    bool any[REPLICAS_MAX];
};

static void see(struct replicas *replicas, const struct prometheus_sample *sample)
{
    struct raw_text label;
    int64_t rank = 0;
    if (prometheus_label(sample, "dp_rank", &label) &&
        (!number_parse_i64(label, &rank, NULL) || rank < 0 || rank >= REPLICAS_MAX))
        return;
    if (!replicas->any[rank] || replicas->values[rank] < sample->value)
        replicas->values[rank] = sample->value;
    replicas->any[rank] = true;
}

static struct figure sum_of(const struct replicas *replicas)
{
    double sum = 0;
    bool any = false;
    for (size_t i = 0; i < REPLICAS_MAX; i++)
        if (replicas->any[i]) {
            any = true;
            sum += replicas->values[i];
        }
    return any ? figure_reported(sum) : figure_unknown(REASON_not_reported);
}

enum series { USED_TOKENS, RUNNING, WAITING, SPEED, POOL, SERIES_COUNT };

static bool read_metrics(struct raw_text body, struct server_state *state)
{
    static const char *const names[SERIES_COUNT] = {
        "sglang:num_used_tokens", "sglang:num_running_reqs", "sglang:num_queue_reqs",
        "sglang:gen_throughput", "sglang:max_total_num_tokens"};
    struct figure *const figures[SERIES_COUNT] = {
        &state->context_used, &state->requests_running, &state->requests_waiting,
        &state->generation_tokens_per_second, &state->kv_tokens};
    struct replicas series[SERIES_COUNT] = {0};
    struct prometheus_sample sample;
    bool any = false;
    while (prometheus_next(&body, &sample)) {
        any = true;
        if (raw_equal_string(sample.name, "sglang:token_usage") && sample.value <= 1 &&
            (!figure_is_known(state->kv_used_percent) ||
             state->kv_used_percent.value < sample.value * 100))
            state->kv_used_percent = figure_reported(sample.value * 100);
        for (size_t i = 0; i < SERIES_COUNT; i++)
            if (raw_equal_string(sample.name, names[i]))
                see(&series[i], &sample);
    }
    for (size_t i = 0; i < SERIES_COUNT; i++)
        *figures[i] = sum_of(&series[i]);
    for (size_t i = 0; i < REPLICAS_MAX; i++)
        state->engines += series[POOL].any[i];
    return any;
}

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    return strcmp(path, "/metrics") == 0 ? read_metrics(body, state)
                                         : open_ai_read_models(arena, body, state);
}

const struct server_words server_sglang = {SERVER_SGLANG, "SGLang", paths, read_reply};

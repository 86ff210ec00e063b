/* llama-server: tools/server/README.md of llama.cpp, 2024-09 to v0.5.0. */
#include <string.h>

#include "base/lines.h"
#include "inspect/servers/prometheus.h"
#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

static const char *const paths[] = {"/props", "/v1/models", "/slots", "/metrics", NULL};

static struct server_model *only_model(struct arena *arena, struct server_state *state)
{
    return state->model_count > 0 ? &state->models[0] : server_state_add(arena, state);
}

/* n_ctx is that of one slot. */
static bool read_props(struct arena *arena, const json_t *reply, struct server_state *state)
{
    if (!json_is_object(reply))
        return false;
    if (raw_equal_string(reply_text(arena, reply, "role"), "router")) {
        state->router = true;
        return true;
    }
    const json_t *settings = json_object_get(reply, "default_generation_settings");
    struct server_model *model = only_model(arena, state);
    model->path = reply_text(arena, reply, "model_path");
    if (!model->path.bytes)
        model->path = reply_text(arena, settings, "model");
    model->id = reply_text(arena, reply, "model_alias");
    model->quantization = reply_text(arena, reply, "model_ftype");
    model->loaded = true;
    state->slots = reply_figure(reply, "total_slots");
    state->slot_context = reply_figure(settings, "n_ctx");
    state->version = reply_text(arena, reply, "build_info");
    state->sleeping = reply_is_true(reply, "is_sleeping");
    return true;
}

static bool is_busy(const json_t *slot)
{
    return reply_is_true(slot, "is_processing") ||
           (json_is_integer(json_object_get(slot, "state")) &&
            json_integer_value(json_object_get(slot, "state")) != 0);
}

/* Tokens in the slot now: of the prompt as it grows (2026), else what was decoded. */
static struct figure slot_tokens(const json_t *slot)
{
    struct figure tokens = reply_figure(slot, "n_prompt_tokens");
    const json_t *next = json_object_get(slot, "next_token");
    if (json_is_array(next))
        next = json_array_get(next, 0);
    struct figure decoded = reply_figure(next, "n_decoded");
    if (figure_is_known(tokens) && figure_is_known(decoded) && decoded.value > tokens.value)
        return decoded;
    return tokens;
}

static bool read_slots(const json_t *reply, struct server_state *state)
{
    if (!json_is_array(reply))
        return false;
    double busy = 0, used = 0;
    bool used_known = true;
    for (size_t i = 0; i < json_array_size(reply); i++) {
        const json_t *slot = json_array_get(reply, i);
        if (!json_is_object(slot))
            return false;
        if (!is_busy(slot))
            continue;
        struct figure tokens = slot_tokens(slot);
        busy++;
        used_known &= figure_is_known(tokens);
        used += tokens.value;
    }
    state->slots = figure_reported((double)json_array_size(reply));
    state->slots_busy = figure_reported(busy);
    state->context_used = used_known ? figure_reported(used) : figure_unknown(REASON_not_reported);
    if (json_array_size(reply) > 0)
        state->slot_context = reply_figure(json_array_get(reply, 0), "n_ctx");
    return true;
}

static void read_meta(struct arena *arena, const json_t *entry, struct server_state *state,
                      struct server_model *model)
{
    const json_t *meta = json_object_get(entry, "meta");
    model->context_trained = reply_figure(meta, "n_ctx_train");
    model->parameters = reply_figure(meta, "n_params");
    model->weights_bytes = reply_figure(meta, "size");
    if (!figure_is_known(state->slot_context)) /* that of one slot, here too */
        state->slot_context = reply_figure(meta, "n_ctx");
    if (!model->quantization.bytes)
        model->quantization = reply_text(arena, meta, "ftype");
}

static bool read_models(struct arena *arena, const json_t *reply, struct server_state *state)
{
    const json_t *data = json_object_get(reply, "data");
    if (!json_is_array(data))
        return false;
    if (state->router) /* its children hold the models, each in a process of its own */
        return true;
    const json_t *entry = json_array_get(data, 0);
    if (!json_is_object(entry) || json_object_get(entry, "status"))
        return json_is_object(entry);
    struct server_model *model = only_model(arena, state);
    struct raw_text id = reply_text(arena, entry, "id");
    model->id = id.bytes ? id : model->id;
    model->loaded = !state->sleeping;
    read_meta(arena, entry, state, model);
    return true;
}

static bool read_metrics(struct raw_text body, struct server_state *state)
{
    struct prometheus_sample sample;
    bool any = false;
    while (prometheus_next(&body, &sample)) {
        static const char prefix[] = "llamacpp:";
        if (!raw_starts_with(sample.name, prefix))
            continue;
        struct raw_text name = {sample.name.bytes + strlen(prefix),
                                sample.name.length - strlen(prefix)};
        any = true;
        if (raw_equal_string(name, "prompt_tokens_seconds"))
            state->prompt_tokens_per_second = figure_reported(sample.value);
        else if (raw_equal_string(name, "predicted_tokens_seconds"))
            state->generation_tokens_per_second = figure_reported(sample.value);
        else if (raw_equal_string(name, "requests_processing"))
            state->requests_running = figure_reported(sample.value);
        else if (raw_equal_string(name, "requests_deferred"))
            state->requests_waiting = figure_reported(sample.value);
        else if (raw_equal_string(name, "kv_cache_usage_ratio") && sample.value <= 1)
            state->kv_used_percent = figure_reported(sample.value * 100);
    }
    return any;
}

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    if (strcmp(path, "/metrics") == 0)
        return read_metrics(body, state);
    json_t *reply = reply_parse(body);
    bool read = strcmp(path, "/props") == 0   ? read_props(arena, reply, state)
                : strcmp(path, "/slots") == 0 ? read_slots(reply, state)
                                              : read_models(arena, reply, state);
    json_decref(reply);
    return read;
}

const struct server_words server_llama = {SERVER_LLAMA, "llama-server", paths, read_reply};

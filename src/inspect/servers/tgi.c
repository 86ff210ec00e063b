/* Text Generation Inference: its OpenAPI description, /info and /metrics. */
#include <string.h>

#include "inspect/servers/prometheus.h"
#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

static const char *const paths[] = {"/info", "/metrics", NULL};

static bool read_info(struct arena *arena, struct raw_text body, struct server_state *state)
{
    json_t *reply = reply_parse(body);
    struct raw_text id = reply_text(arena, reply, "model_id");
    struct server_model *model = id.bytes ? server_state_add(arena, state) : NULL;
    if (model) {
        model->id = id;
        model->quantization = reply_text(arena, reply, "model_dtype");
        model->context = reply_figure(reply, "max_total_tokens");
        model->loaded = true;
        state->version = reply_text(arena, reply, "version");
    }
    json_decref(reply);
    return model != NULL;
}

static bool read_metrics(struct raw_text body, struct server_state *state)
{
    struct prometheus_sample sample;
    bool any = false;
    while (prometheus_next(&body, &sample)) {
        any = true;
        if (raw_equal_string(sample.name, "tgi_batch_current_size"))
            state->requests_running = figure_reported(sample.value);
        else if (raw_equal_string(sample.name, "tgi_queue_size"))
            state->requests_waiting = figure_reported(sample.value);
    }
    return any;
}

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    return strcmp(path, "/metrics") == 0 ? read_metrics(body, state)
                                         : read_info(arena, body, state);
}

const struct server_words server_tgi = {SERVER_TGI, "TGI", paths, read_reply};

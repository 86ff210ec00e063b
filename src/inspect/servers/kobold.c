/* KoboldCpp: its API description at /api, 1.5x to 1.9x. */
#include <string.h>

#include "base/lines.h"
#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

static const char *const paths[] = {"/api/v1/model", "/api/extra/true_max_context_length",
                                    "/api/extra/perf", "/api/extra/version", NULL};

/* {"result": "koboldcpp/NAME"}; "inactive" where no text model is loaded. */
static bool read_model(struct arena *arena, const json_t *reply, struct server_state *state)
{
    static const char prefix[] = "koboldcpp/";
    struct raw_text id = reply_text(arena, reply, "result");
    if (raw_starts_with(id, prefix))
        id = (struct raw_text){id.bytes + strlen(prefix), id.length - strlen(prefix)};
    if (raw_equal_string(id, "inactive"))
        return true;
    struct server_model *model = id.length > 0 ? server_state_add(arena, state) : NULL;
    if (model) {
        model->id = id;
        model->loaded = true;
    }
    return model != NULL;
}

/* How fast the last generation was; before the first one there is none. */
static void read_performance(const json_t *reply, struct server_state *state)
{
    const json_t *idle = json_object_get(reply, "idle"),
                 *total = json_object_get(reply, "total_gens");
    if (!json_is_integer(total) || json_integer_value(total) > 0) {
        state->prompt_tokens_per_second = reply_figure(reply, "last_process_speed");
        state->generation_tokens_per_second = reply_figure(reply, "last_eval_speed");
    }
    state->requests_waiting = reply_figure(reply, "queue");
    if (json_is_integer(idle))
        state->requests_running = figure_reported(json_integer_value(idle) ? 0 : 1);
}

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    json_t *reply = reply_parse(body);
    bool read = json_is_object(reply);
    if (strcmp(path, "/api/v1/model") == 0) {
        read = read_model(arena, reply, state);
    } else if (strcmp(path, "/api/extra/true_max_context_length") == 0) {
        if (state->model_count > 0)
            state->models[0].context = reply_figure(reply, "value");
    } else if (strcmp(path, "/api/extra/perf") == 0) {
        read_performance(reply, state);
    } else {
        state->version = reply_text(arena, reply, "version");
    }
    json_decref(reply);
    return read;
}

const struct server_words server_kobold = {SERVER_KOBOLD, "KoboldCpp", paths, read_reply};

/* TabbyAPI: /v1/model names the loaded one. */
#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

static const char *const paths[] = {"/v1/model", NULL};

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    (void)path;
    json_t *reply = reply_parse(body);
    const json_t *parameters = json_object_get(reply, "parameters");
    struct raw_text id = reply_text(arena, reply, "id");
    struct server_model *model = id.bytes ? server_state_add(arena, state) : NULL;
    if (model) {
        model->id = id;
        model->context = reply_figure(parameters, "max_seq_len");
        model->loaded = true;
        state->slots = reply_figure(parameters, "max_batch_size");
        state->kv_tokens = reply_figure(parameters, "cache_size");
    }
    json_decref(reply);
    return model != NULL;
}

const struct server_words server_tabby = {SERVER_TABBY, "TabbyAPI", paths, read_reply};

/* LM Studio: lmstudio.ai/docs, REST API v0 and v1 (0.4.0 and later). */
#include <string.h>

#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

static const char *const paths[] = {"/api/v0/models", "/api/v1/models", NULL};

static void read_v0(struct arena *arena, const json_t *entry, struct server_state *state)
{
    if (!raw_equal_string(reply_text(arena, entry, "state"), "loaded"))
        return;
    struct server_model *model = server_state_add(arena, state);
    if (!model)
        return;
    model->id = reply_text(arena, entry, "id");
    model->kind = reply_text(arena, entry, "type");
    model->architecture = reply_text(arena, entry, "arch");
    model->format = reply_text(arena, entry, "compatibility_type");
    model->quantization = reply_text(arena, entry, "quantization");
    model->context = reply_figure(entry, "loaded_context_length");
    model->context_trained = reply_figure(entry, "max_context_length");
    model->loaded = true;
}

static bool is_known(const struct server_state *state, struct raw_text id)
{
    for (size_t i = 0; i < state->model_count; i++)
        if (id.length > 0 && state->models[i].id.length == id.length &&
            memcmp(state->models[i].id.bytes, id.bytes, id.length) == 0)
            return true;
    return false;
}

/* {"name": "Q4_K_M", "bits_per_weight": 4}; in some builds the name alone. */
static struct raw_text quantization_of(struct arena *arena, const json_t *entry)
{
    struct raw_text name = reply_text(arena, entry, "quantization");
    return name.bytes ? name : reply_text(arena, json_object_get(entry, "quantization"), "name");
}

static void read_v1(struct arena *arena, const json_t *entry, struct server_state *state)
{
    const json_t *instances = json_object_get(entry, "loaded_instances");
    for (size_t i = 0; i < json_array_size(instances); i++) {
        const json_t *instance = json_array_get(instances, i);
        struct raw_text id = reply_text(arena, instance, "id");
        struct server_model *model = is_known(state, id) ? NULL : server_state_add(arena, state);
        if (!model)
            continue;
        model->id = id.bytes ? id : reply_text(arena, entry, "key");
        model->kind = reply_text(arena, entry, "type");
        model->architecture = reply_text(arena, entry, "architecture");
        model->format = reply_text(arena, entry, "format");
        model->quantization = quantization_of(arena, entry);
        model->context = reply_figure(json_object_get(instance, "config"), "context_length");
        model->context_trained = reply_figure(entry, "max_context_length");
        model->weights_bytes = reply_figure(entry, "size_bytes");
        model->loaded = true;
    }
}

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    bool is_v0 = strcmp(path, "/api/v0/models") == 0;
    json_t *reply = reply_parse(body);
    const json_t *models = json_object_get(reply, is_v0 ? "data" : "models");
    bool read = json_is_array(models);
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *entry = json_array_get(models, i);
        if (json_is_object(entry) && is_v0)
            read_v0(arena, entry, state);
        else if (json_is_object(entry))
            read_v1(arena, entry, state);
    }
    json_decref(reply);
    return read;
}

const struct server_words server_lm_studio = {SERVER_LM_STUDIO, "LM Studio", paths, read_reply};

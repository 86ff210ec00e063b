/* Ollama: docs/api.md of ollama/ollama. /api/ps is read-only and does not reset the expiry. */
#include <string.h>

#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"
#include "snapshot/json.h"

static const char *const paths[] = {"/api/ps", NULL};

/* A year far away stands for "forever", year 1 for "none". */
static int64_t expiry_of(struct raw_text text)
{
    int64_t at_ns;
    if (text.length < 20)
        return TIME_UNKNOWN;
    if (memcmp(text.bytes, "0001", 4) == 0)
        return TIME_UNKNOWN;
    if (memcmp(text.bytes, "2262", 4) > 0)
        return INT64_MAX;
    return time_parse((struct text){text.bytes, text.length}, &at_ns) ? at_ns : TIME_UNKNOWN;
}

static void read_model(struct arena *arena, const json_t *entry, bool running,
                       struct server_model *model)
{
    const json_t *details = json_object_get(entry, "details");
    model->id = reply_text(arena, entry, "name");
    model->format = reply_text(arena, details, "format");
    model->architecture = reply_text(arena, details, "family");
    model->quantization = reply_text(arena, details, "quantization_level");
    model->loaded = running;
    model->total_bytes = reply_figure(entry, "size");
    if (!running)
        return;
    /* Left out where it is 0 (2024); a context of 0 is none. */
    model->vram_bytes =
        json_object_get(entry, "size_vram") ? reply_figure(entry, "size_vram") : figure_reported(0);
    struct figure context = reply_figure(entry, "context_length");
    model->context = context.value > 0 ? context : figure_unknown(REASON_not_reported);
    model->expires_at_ns = expiry_of(reply_text(arena, entry, "expires_at"));
}

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    json_t *reply = reply_parse(body);
    const json_t *models = json_object_get(reply, "models");
    bool read = json_is_array(models) || json_is_null(models);
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *entry = json_array_get(models, i);
        struct server_model *model = json_is_object(entry) ? server_state_add(arena, state) : NULL;
        if (model)
            read_model(arena, entry, strcmp(path, "/api/ps") == 0, model);
    }
    json_decref(reply);
    return read;
}

const struct server_words server_ollama = {SERVER_OLLAMA, "ollama", paths, read_reply};

#include <string.h>

#include "inspect/command.h"
#include "inspect/identify_parts.h"
#include "inspect/path.h"
#include "inspect/servers/server.h"

static struct text text_of(struct identifying *identifying, struct raw_text raw)
{
    return raw.bytes ? text_redact(identifying->arena, raw) : TEXT_NONE;
}

static struct figure first_known(struct figure a, struct figure b)
{
    return figure_is_known(a) ? a : b;
}

static bool is_path_like(struct raw_text id)
{
    return path_is_absolute(id) || path_promises_model(id) == PATH_MODEL;
}

/* The name without its store's extras: ids are sometimes whole paths. */
static bool names_file(struct raw_text name, const struct gathered_file *file)
{
    if (!name.bytes || !file)
        return false;
    if (path_same_name(name, file->path))
        return true;
    for (size_t i = 0; i < file->name_count; i++)
        if (path_equal(name, file->names[i].name))
            return true;
    return false;
}

static struct identified *find_named(struct identifying *identifying,
                                     const struct server_model *model)
{
    for (size_t i = 0; i < identifying->count; i++) {
        struct identified *item = &identifying->items[i];
        if (names_file(model->path, item->file) || names_file(model->id, item->file))
            return item;
    }
    return NULL;
}

static enum model_kind kind_of(const struct server_state *server, const struct server_model *model)
{
    if (path_contains(model->kind, "embed"))
        return MODEL_EMBEDDING;
    if (path_contains(model->kind, "decision") || path_contains(model->kind, "rerank"))
        return MODEL_DECISION;
    if (path_contains(model->kind, "adapter"))
        return MODEL_ADAPTER;
    return server->kind == SERVER_COMFY     ? MODEL_DIFFUSION
           : server->kind == SERVER_WHISPER ? MODEL_SPEECH
                                            : MODEL_LLM;
}

static void set_live(struct identifying *identifying, const struct server_state *server,
                     const struct server_model *reported, struct model *model)
{
    if (model->live.present) {
        model->live.expires_at_ns = reported->expires_at_ns;
        return;
    }
    model->live = (struct model_live){
        .present = true,
        .source = text_from_raw(identifying->arena, raw_from_string(server_name(server->kind))),
        .context_used = server->context_used,
        .slots_busy = server->slots_busy,
        .requests_running = server->requests_running,
        .requests_waiting = server->requests_waiting,
        .kv_used_percent = server->kv_used_percent,
        .prompt_tokens_per_second = server->prompt_tokens_per_second,
        .generation_tokens_per_second = server->generation_tokens_per_second,
        .expires_at_ns = reported->expires_at_ns,
    };
}

/* What the cache has room for. llama-server says what one slot may have, which with a unified cache
 * is all of it; and it never says more than the model was trained for. */
static struct figure pool_of(const struct gathered *gathered, const struct server_state *server,
                             const struct server_model *reported)
{
    bool one = server->slots.value <= 1, said = gathered->is_llama_style;
    struct figure slot = server->slot_context, trained = reported->context_trained;
    if (server->kind != SERVER_LLAMA)
        return server->engines <= 1 ? server->kv_tokens : figure_unknown(REASON_not_reported);
    bool cut = !figure_is_known(trained) || slot.value >= trained.value;
    if (!figure_is_known(slot) || !figure_is_known(server->slots) || cut || (!one && !said))
        return figure_unknown(REASON_not_reported);
    bool whole = one || runtime_flags_unified(&gathered->flags);
    return figure_known(whole ? slot.value : slot.value * server->slots.value, HOW_REPORTED);
}

/* The bytes of a pool are those on each GPU; a process with one GPU holds them there. */
static void set_pool_bytes(struct identifying *identifying, const struct server_state *server,
                           struct model *model)
{
    const struct identify_scene *scene = identifying->scene;
    if (!figure_is_known(server->kv_bytes) || server->engines > 1 || scene->use_count != 1 ||
        model->device_count > 0)
        return;
    struct model_device *device = ARENA_NEW(identifying->arena, struct model_device);
    device->device = TEXT("GPU");
    device->adapter_id = text_copy(identifying->arena, scene->uses[0].adapter_id);
    device->kv_cache_bytes = server->kv_bytes;
    model->devices = device;
    model->device_count = 1;
}

/* What the server says replaces what was deduced; what it does not say stays. */
static void take_reply(struct identifying *identifying, const struct server_state *server,
                       const struct server_model *reported, struct identified *item)
{
    struct model *model = &item->model;
    if (reported->id.length > 0 && !is_path_like(reported->id))
        model->name = text_of(identifying, reported->id);
    if (text_is_none(model->path) && reported->path.length > 0 && is_path_like(reported->path))
        model->path = text_of(identifying, reported->path);
    if (text_is_none(model->name))
        model->name = text_of(
            identifying, path_model_name(reported->id.length > 0 ? reported->id : reported->path));
    if (text_is_none(model->architecture))
        model->architecture = text_of(identifying, reported->architecture);
    if (text_is_none(model->quantization))
        model->quantization = text_of(identifying, reported->quantization);
    if (text_is_none(model->format))
        model->format = text_of(identifying, reported->format);
    model->context = first_known(reported->context, model->context);
    model->context_trained = first_known(model->context_trained, reported->context_trained);
    model->parameters = first_known(model->parameters, reported->parameters);
    model->slots = first_known(server->slots, model->slots);
    if (server->slots.value <= 1)
        model->context = first_known(model->context, server->slot_context);
    model->kv_pool_tokens =
        first_known(model->kv_pool_tokens, pool_of(identifying->gathered, server, reported));
    set_pool_bytes(identifying, server, model);
    if (model->kind == MODEL_UNKNOWN)
        model->kind = kind_of(server, reported);
    set_live(identifying, server, reported, model);
}

static void take_own_server(struct identifying *identifying)
{
    const struct server_state *server = &identifying->gathered->server;
    const struct server_model unnamed = {.expires_at_ns = TIME_UNKNOWN};
    struct identified *only = identifying_main(identifying);
    /* Some servers say how busy they are and not with which model. */
    if (server->model_count == 0 && only && !server->router)
        set_live(identifying, server, &unnamed, &only->model);
    for (size_t i = 0; i < server->model_count; i++) {
        const struct server_model *reported = &server->models[i];
        if (!reported->loaded)
            continue;
        struct identified *item = find_named(identifying, reported);
        if (!item && server->model_count == 1)
            item = identifying_main(identifying);
        if (!item)
            item = identifying_add(identifying);
        if (!item)
            return;
        take_reply(identifying, server, reported, item);
        identified_add_evidence(item, TEXT("api"), STRENGTH_PROOF,
                                text_format(identifying->arena, "its own server on port %d (%s)",
                                            server->port, server_name(server->kind)));
    }
}

/* The parent serves several models by several children: one of its names is this process's only
 * where the file says so, or where both have just one. */
static void take_parent_server(struct identifying *identifying)
{
    const struct server_state *server = &identifying->gathered->parent_server;
    bool is_worker = identifying->gathered->family == PROGRAM_VLLM_WORKER ||
                     identifying->gathered->family == PROGRAM_SGLANG_WORKER ||
                     identifying->gathered->family == PROGRAM_TGI_WORKER;
    for (size_t i = 0; i < server->model_count; i++) {
        const struct server_model *reported = &server->models[i];
        struct identified *item = reported->loaded ? find_named(identifying, reported) : NULL;
        if (!item && reported->loaded && server->model_count == 1)
            item = identifying_main(identifying);
        if (!item && reported->loaded && is_worker && identifying->count == 0)
            item = identifying_add(identifying);
        if (!item)
            continue;
        take_reply(identifying, server, reported, item);
        identified_add_evidence(item, TEXT("api"), STRENGTH_STRONG,
                                text_format(identifying->arena,
                                            "the server of its parent on port %d (%s)",
                                            server->port, server_name(server->kind)));
    }
}

/* A model that a command line names without a file. */
static void take_name(struct identifying *identifying, struct raw_text name, const char *by,
                      enum strength strength)
{
    struct identified *item = identifying_main(identifying);
    if (!item && identifying->count > 0)
        return;
    if (!item)
        item = identifying_add(identifying);
    if (item->file == NULL || item->file->directory)
        item->model.name = text_of(identifying, name);
    if (item->model.kind == MODEL_UNKNOWN)
        item->model.kind =
            identifying->gathered->family == PROGRAM_OPENAI_WHISPER ? MODEL_SPEECH : MODEL_LLM;
    identified_add_evidence(item, TEXT("cmdline"), strength,
                            text_format(identifying->arena, "%s", by));
}

static void take_parent_command(struct identifying *identifying)
{
    const struct gathered *gathered = identifying->gathered;
    struct command_models models;
    if (identifying->count > 0 || gathered->parent_command.length == 0)
        return;
    command_models_read(gathered->parent_name, gathered->parent_executable, (struct raw_text){0},
                        gathered->parent_command, (struct raw_text){0}, &models);
    if (models.count > 0)
        take_name(identifying, models.items[models.count - 1].value,
                  "given to its parent as the model", STRENGTH_HINT);
}

void identify_servers(struct identifying *identifying)
{
    const struct gathered *gathered = identifying->gathered;
    if (gathered->model_name.bytes)
        take_name(identifying, gathered->model_name, "given as its model", STRENGTH_STRONG);
    if (gathered->server.kind != SERVER_NONE)
        take_own_server(identifying);
    if (gathered->parent_server.kind != SERVER_NONE)
        take_parent_server(identifying);
    if (gathered->family == PROGRAM_VLLM_WORKER || gathered->family == PROGRAM_SGLANG_WORKER ||
        gathered->family == PROGRAM_TGI_WORKER)
        take_parent_command(identifying);
}

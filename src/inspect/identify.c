#include "inspect/identify.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "inspect/identify_parts.h"

void identified_add_evidence(struct identified *item, struct text kind, enum strength strength,
                             struct text detail)
{
    if (item->evidence_count < IDENTIFY_EVIDENCE_MAX)
        item->evidence[item->evidence_count++] =
            (struct evidence){.kind = kind, .strength = strength, .detail = detail};
}

struct identified *identifying_add(struct identifying *identifying)
{
    if (identifying->count == IDENTIFIED_MODELS_MAX)
        return NULL;
    struct identified *item = &identifying->items[identifying->count++];
    item->model.live.expires_at_ns = TIME_UNKNOWN;
    return item;
}

struct identified *identifying_main(struct identifying *identifying)
{
    struct identified *found = NULL;
    for (size_t i = 0; i < identifying->count; i++) {
        struct identified *item = &identifying->items[i];
        if (item->model.kind == MODEL_PROJECTOR || item->model.kind == MODEL_ADAPTER ||
            item->model.kind == MODEL_DRAFT)
            continue;
        if (found)
            return NULL;
        found = item;
    }
    return found;
}

/* Programs that hand their work to others and hold no model themselves; the layers that an RPC
 * server holds are of a model that it has no name for. */
static bool holds_no_model(const struct gathered *gathered, const struct identify_scene *scene)
{
    bool is_router = gathered->server.router;
    for (size_t i = 0; i < gathered->log_count; i++)
        is_router |= gathered->logs[i].run->is_router;
    if (gathered->is_llama_style && gathered->flags.models_dir.length > 0 &&
        gathered->flags.model.path.length == 0)
        is_router = true;
    switch ((enum program_family)gathered->family) {
    case PROGRAM_OLLAMA:
    case PROGRAM_PROXY:
    case PROGRAM_RPC:
        return true;
    case PROGRAM_VLLM: /* its engine is a process of its own (V1) */
    case PROGRAM_TGI:
    case PROGRAM_LM_STUDIO:
        return scene->use_count == 0;
    default:
        return is_router;
    }
}

/* A sleeping server has given its weights back: that is known, not estimated. */
static void empty_devices(struct arena *arena, struct model *model)
{
    struct model_device *devices = ARENA_ARRAY(arena, struct model_device, model->device_count);
    for (size_t i = 0; i < model->device_count; i++) {
        devices[i] = (struct model_device){.device = model->devices[i].device,
                                           .adapter_id = model->devices[i].adapter_id};
        devices[i].weights_bytes = devices[i].kv_cache_bytes = devices[i].compute_bytes =
            figure_known(0, HOW_REPORTED);
        devices[i].estimated_weights_bytes = model->devices[i].weights_bytes;
        devices[i].estimated_kv_cache_bytes = model->devices[i].kv_cache_bytes;
        devices[i].estimated_compute_bytes = model->devices[i].compute_bytes;
    }
    model->devices = devices;
}

/* "offloaded 5/5 layers to GPU" is printed without any GPU too: the buffers decide. */
static void correct_layers(struct model *model)
{
    bool only_host = model->device_count > 0;
    for (size_t i = 0; i < model->device_count; i++)
        only_host &= text_equal_string(model->devices[i].device, "host");
    if (only_host && figure_is_known(model->layers_on_gpu))
        model->layers_on_gpu = figure_known(0, model->layers_on_gpu.how);
}

static struct model_list finish(struct identifying *identifying)
{
    struct arena *arena = identifying->arena;
    struct model_list list = {ARENA_ARRAY(arena, struct model, identifying->count),
                              identifying->count};
    for (size_t i = 0; i < identifying->count; i++) {
        struct identified *item = &identifying->items[i];
        struct evidence *evidence = ARENA_ARRAY(arena, struct evidence, item->evidence_count);
        if (item->evidence_count > 0)
            memcpy(evidence, item->evidence, item->evidence_count * sizeof *evidence);
        list.items[i] = item->model;
        if (!item->model.live.present)
            list.items[i].live.expires_at_ns = TIME_UNKNOWN;
        list.items[i].evidence =
            (struct evidence_list){.items = evidence, .count = item->evidence_count};
    }
    return list;
}

/* Most processes: nothing that was gathered could name a model. */
static bool says_nothing(const struct gathered *gathered)
{
    return gathered->file_count == 0 && gathered->log_count == 0 && !gathered->model_name.bytes &&
           gathered->server.kind == SERVER_NONE && gathered->parent_server.kind == SERVER_NONE &&
           gathered->family == PROGRAM_OTHER;
}

struct model_list identify(struct arena *arena, const struct gathered *gathered,
                           const struct identify_scene *scene)
{
    struct identifying identifying = {.arena = arena, .gathered = gathered, .scene = scene};
    if (says_nothing(gathered) || holds_no_model(gathered, scene))
        return (struct model_list){0};
    /* Not in the arena, which is the snapshot's: it is much, and only for now. */
    identifying.items = memory_new(IDENTIFIED_MODELS_MAX * sizeof *identifying.items);
    identify_find_devices(&identifying);
    identify_files(&identifying);
    identify_servers(&identifying);
    struct model_list list = finish(&identifying);
    free(identifying.items);
    for (size_t i = 0; i < gathered->log_count; i++)
        list = reported_merge(arena, gathered->logs[i].run, &identifying.devices, list,
                              text_from_raw(arena, gathered->logs[i].path),
                              gathered->logs[i].strength);
    for (size_t i = 0; i < list.count; i++) {
        correct_layers(&list.items[i]);
        if (gathered->server.sleeping)
            empty_devices(arena, &list.items[i]);
    }
    return list;
}

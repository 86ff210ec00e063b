#include <string.h>

#include "inspect/load_log.h"

static void *copy_list(struct arena *arena, const void *items, size_t count, size_t size)
{
    void *copy = arena_alloc_array(arena, count, size);
    if (count) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

static void copy_text(struct arena *arena, struct raw_text *text)
{
    if (text->bytes) {
        text->bytes = arena_string(arena, text->bytes, text->length);
    }
}

static void copy_models(struct arena *arena, struct load_run *run)
{
    struct load_model *models = copy_list(arena, run->models, run->model_count, sizeof *models);
    for (size_t i = 0; i < run->model_count; i++) {
        copy_text(arena, &models[i].path);
        copy_text(arena, &models[i].name);
        copy_text(arena, &models[i].architecture);
        copy_text(arena, &models[i].quantization);
        copy_text(arena, &models[i].format);
    }
    run->models = models;
}

static void copy_parts(struct arena *arena, struct load_run *run)
{
    struct load_context *contexts =
        copy_list(arena, run->contexts, run->context_count, sizeof *contexts);
    struct load_buffer *buffers =
        copy_list(arena, run->buffers, run->buffer_count, sizeof *buffers);
    struct load_cache *caches = copy_list(arena, run->caches, run->cache_count, sizeof *caches);
    for (size_t i = 0; i < run->context_count; i++) {
        copy_text(arena, &contexts[i].flash_attention);
    }
    for (size_t i = 0; i < run->buffer_count; i++) {
        copy_text(arena, &buffers[i].name);
        copy_text(arena, &buffers[i].part);
    }
    for (size_t i = 0; i < run->cache_count; i++) {
        copy_text(arena, &caches[i].type_k);
        copy_text(arena, &caches[i].type_v);
    }
    run->contexts = contexts;
    run->buffers = buffers;
    run->caches = caches;
}

static void copy_devices(struct arena *arena, struct load_run *run)
{
    struct load_device *devices =
        copy_list(arena, run->devices, run->device_count, sizeof *devices);
    for (size_t i = 0; i < run->device_count; i++) {
        copy_text(arena, &devices[i].name);
        copy_text(arena, &devices[i].description);
        copy_text(arena, &devices[i].bus_id);
    }
    run->devices = devices;
}

struct load_run *load_run_copy(struct arena *arena, const struct load_run *run)
{
    struct load_run *copy = ARENA_NEW(arena, struct load_run);
    *copy = *run;
    copy_text(arena, &copy->runtime);
    copy_text(arena, &copy->version);
    copy_text(arena, &copy->main_path);
    copy_text(arena, &copy->error);
    copy_models(arena, copy);
    copy_parts(arena, copy);
    copy_devices(arena, copy);
    return copy;
}

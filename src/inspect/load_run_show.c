#include <string.h>

#include "inspect/load_run.h"

/* Lists under way: what failed is left out, so indices move. */
struct showing {
    struct load_run_reading *run;
    int model_at[RUN_MODELS_MAX], context_at[RUN_CONTEXTS_MAX]; /* -1: left out */
    struct load_model *models;
    struct load_context *contexts;
    struct load_buffer *buffers;
    struct load_cache *caches;
    size_t model_count, context_count, buffer_count, cache_count;
};

static bool says_kind(const struct showing *showing, int model, enum load_buffer_kind kind)
{
    for (size_t i = 0; i < showing->run->buffers.count; i++) {
        const struct load_buffer *buffer = &showing->run->buffers.items[i];
        if (buffer->model == model && buffer->kind == kind) {
            return true;
        }
    }
    return false;
}

static void put_sum(struct showing *showing, int model, enum load_buffer_kind kind, bool on_gpu,
                    int64_t bytes)
{
    struct raw_text backend = showing->run->backend;
    if (bytes > 0) {
        showing->buffers[showing->buffer_count++] = (struct load_buffer){
            .name = !on_gpu          ? (struct raw_text){"CPU", 3}
                    : backend.length ? backend
                                     : (struct raw_text){"GPU", 3},
            .part = {"", 0},
            .kind = kind,
            .bytes = bytes,
            .model = showing->model_at[model],
            .context = LOAD_NO_CONTEXT,
        };
    }
}

/* Logs of 2023 name no buffers: they give sums over what is in VRAM and what is not. */
static void show_sums(struct showing *showing, int index)
{
    const struct run_model *model = &showing->run->models.items[index];
    int64_t scratch = model->vram_scratch.value; /* 0 while unknown: then it is not taken off */
    int64_t kv = model->kv_total.value;
    int64_t kv_gpu = model->vram_kv.known ? model->vram_kv.value : model->kv_on_gpu ? kv : 0;
    if (!says_kind(showing, index, LOAD_WEIGHTS)) {
        int64_t weights = model->vram_weights.known   ? model->vram_weights.value
                          : model->vram_with_kv.known ? model->vram_with_kv.value - kv_gpu
                                                      : model->vram_total.value - scratch - kv_gpu;
        put_sum(showing, index, LOAD_WEIGHTS, true, weights);
        put_sum(showing, index, LOAD_OTHER, false, model->host_other.value);
    }
    if (!says_kind(showing, index, LOAD_KV_CACHE) && !says_kind(showing, index, LOAD_STATE)) {
        bool over = model->kv_total.known && kv_gpu > kv;
        put_sum(showing, index, LOAD_KV_CACHE, true, over ? kv : kv_gpu);
        put_sum(showing, index, LOAD_KV_CACHE, false, kv - kv_gpu);
    }
    if (!says_kind(showing, index, LOAD_COMPUTE)) {
        put_sum(showing, index, LOAD_COMPUTE, true, scratch);
        put_sum(showing, index, LOAD_COMPUTE, false, model->host_compute.value);
    }
}

static void show_models(struct showing *showing)
{
    struct load_run_reading *run = showing->run;
    for (size_t i = 0; i < run->models.count; i++) {
        const struct run_model *model = &run->models.items[i];
        showing->model_at[i] = model->failed ? -1 : (int)showing->model_count;
        if (!model->failed) {
            showing->models[showing->model_count++] = model->seen;
        }
    }
    for (size_t i = 0; i < run->contexts.count; i++) {
        struct load_context context = run->contexts.items[i].seen;
        context.model = showing->model_at[context.model];
        showing->context_at[i] = context.model < 0 ? -1 : (int)showing->context_count;
        if (context.model >= 0) {
            showing->contexts[showing->context_count++] = context;
        }
    }
}

static void show_parts(struct showing *showing)
{
    struct load_run_reading *run = showing->run;
    for (size_t i = 0; i < run->buffers.count; i++) {
        struct load_buffer buffer = run->buffers.items[i];
        buffer.model = showing->model_at[buffer.model];
        if (buffer.context != LOAD_NO_CONTEXT) {
            buffer.context = showing->context_at[buffer.context];
        }
        if (buffer.model >= 0) {
            showing->buffers[showing->buffer_count++] = buffer;
        }
    }
    for (size_t i = 0; i < run->caches.count; i++) {
        struct load_cache cache = run->caches.items[i];
        cache.context = showing->context_at[cache.context];
        if (cache.context >= 0) {
            showing->caches[showing->cache_count++] = cache;
        }
    }
    for (size_t i = 0; i < run->models.count; i++) {
        if (showing->model_at[i] >= 0) {
            show_sums(showing, (int)i);
        }
    }
}

const struct load_run *run_show(struct load_run_reading *run)
{
    enum { SUMS_A_MODEL = 6 };
    struct showing showing = {.run = run};
    if (run->is_shown) {
        return &run->seen;
    }
    arena_reset(run->shown);
    showing.models = ARENA_ARRAY(run->shown, struct load_model, run->models.count);
    showing.contexts = ARENA_ARRAY(run->shown, struct load_context, run->contexts.count);
    showing.buffers = ARENA_ARRAY(run->shown, struct load_buffer,
                                  run->buffers.count + SUMS_A_MODEL * run->models.count);
    showing.caches = ARENA_ARRAY(run->shown, struct load_cache, run->caches.count);
    show_models(&showing);
    show_parts(&showing);

    run->seen.models = showing.models;
    run->seen.model_count = showing.model_count;
    run->seen.contexts = showing.contexts;
    run->seen.context_count = showing.context_count;
    run->seen.buffers = showing.buffers;
    run->seen.buffer_count = showing.buffer_count;
    run->seen.caches = showing.caches;
    run->seen.cache_count = showing.cache_count;
    run->seen.devices = run->devices.items;
    run->seen.device_count = run->devices.count;
    run->is_shown = true;
    return &run->seen;
}

#include "inspect/load_run.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/vector.h"

struct load_run_reading *run_new(uint64_t offset)
{
    struct load_run_reading *run = calloc(1, sizeof *run);
    if (!run) {
        fatal_out_of_memory(sizeof *run);
    }
    run->arena = arena_new();
    run->shown = arena_new();
    run->model = run->context = -1;
    run->seen.offset = offset;
    run->seen.start_ns = TIME_UNKNOWN;
    return run;
}

void run_free(struct load_run_reading **run)
{
    if (*run) {
        VECTOR_FREE(&(*run)->models);
        VECTOR_FREE(&(*run)->contexts);
        VECTOR_FREE(&(*run)->buffers);
        VECTOR_FREE(&(*run)->caches);
        VECTOR_FREE(&(*run)->devices);
        arena_free(&(*run)->arena);
        arena_free(&(*run)->shown);
        free(*run);
        *run = NULL;
    }
}

void run_clear(struct load_run_reading *run)
{
    run->models.count = run->contexts.count = run->buffers.count = run->caches.count = 0;
    run->model = run->context = -1;
    run->next_is_draft = run->projecting = run->group_ended = false;
    run->is_shown = run->seen.ready = false;
    for (size_t i = 0; i < run->devices.count; i++) {
        struct load_device *device = &run->devices.items[i];
        device->pool_tokens = device->blocks = measured_unknown(REASON_not_reported);
        device->loads = device->pools = 0;
    }
    if (run->text_bytes < RUN_TEXT_BYTES_MAX / 2) {
        return;
    }
    /* A server that loads again and again would use up its room for names: keep only what stays. */
    struct arena *old = run->arena;
    struct raw_text *kept[] = {&run->seen.runtime, &run->seen.version, &run->seen.main_path,
                               &run->seen.error,   &run->backend,      &run->device_family};
    run->arena = arena_new();
    run->text_bytes = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        *kept[i] = kept[i]->bytes ? run_text(run, *kept[i]) : *kept[i];
    }
    for (size_t i = 0; i < run->devices.count; i++) {
        struct load_device *device = &run->devices.items[i];
        device->name = run_text(run, device->name);
        device->description = run_text(run, device->description);
        device->bus_id = run_text(run, device->bus_id);
    }
    arena_free(&old);
}

bool run_has_content(const struct load_run_reading *run)
{
    return run->models.count > 0 || run->contexts.count > 0 || run->buffers.count > 0;
}

bool run_has_sizes(const struct load_run_reading *run)
{
    return run->buffers.count > 0;
}

struct raw_text run_text(struct load_run_reading *run, struct raw_text raw)
{
    enum { TEXT_MAX = 4096 };
    size_t length = raw.length < TEXT_MAX ? raw.length : TEXT_MAX;
    if (length > RUN_TEXT_BYTES_MAX - run->text_bytes) {
        return (struct raw_text){"", 0};
    }
    run->text_bytes += length;
    return (struct raw_text){arena_string(run->arena, length ? raw.bytes : "", length), length};
}

void run_text_once(struct load_run_reading *run, struct raw_text *text, struct raw_text raw)
{
    if (text->length == 0 && raw.length > 0) {
        *text = run_text(run, raw);
        run->is_shown = false;
    }
}

/* A model that is added to the one being read and shares its contexts. */
static bool is_addition(enum model_kind kind)
{
    return kind == MODEL_ADAPTER || kind == MODEL_PROJECTOR;
}

struct run_model *run_begin_model(struct load_run_reading *run, enum model_kind kind,
                                  struct raw_text path)
{
    if (run->models.count == RUN_MODELS_MAX) {
        return &run->models.items[RUN_MODELS_MAX - 1];
    }
    struct run_model model = {.seen = {.kind = kind}};
    if (path.length) {
        model.seen.path = run_text(run, path);
    }
    VECTOR_PUSH(&run->models, model);
    run->is_shown = false;
    if (!is_addition(kind)) {
        run->model = (int)run->models.count - 1;
        run->context = -1;
        run->seen.error = (struct raw_text){0};
        run->seen.ready = false; /* older servers listen before they load */
    }
    return &run->models.items[run->models.count - 1];
}

struct run_model *run_main_model(struct load_run_reading *run)
{
    return run->model >= 0 ? &run->models.items[run->model]
                           : run_begin_model(run, MODEL_UNKNOWN, (struct raw_text){0});
}

int run_addition(struct load_run_reading *run, enum model_kind kind)
{
    for (size_t i = run->models.count; i > 0; i--) {
        if (run->models.items[i - 1].seen.kind == kind) {
            return (int)i - 1;
        }
    }
    run_main_model(run);
    run_begin_model(run, kind, (struct raw_text){0});
    return (int)run->models.count - 1;
}

struct run_context *run_begin_context(struct load_run_reading *run)
{
    run_main_model(run);
    if (run->contexts.count == RUN_CONTEXTS_MAX) {
        run->context = RUN_CONTEXTS_MAX - 1;
        return &run->contexts.items[run->context];
    }
    struct run_context context = {.seen = {.model = run->model}};
    VECTOR_PUSH(&run->contexts, context);
    run->context = (int)run->contexts.count - 1;
    run->is_shown = false;
    return &run->contexts.items[run->context];
}

struct run_context *run_context_for(struct load_run_reading *run, enum load_buffer_kind kind)
{
    struct run_context *context =
        run->context >= 0 ? &run->contexts.items[run->context] : run_begin_context(run);
    if (kind != LOAD_COMPUTE && context->has_compute) {
        context = run_begin_context(run);
    }
    context->has_compute = context->has_compute || kind == LOAD_COMPUTE;
    context->has_content = true;
    return context;
}

/* Weights after what a context prints belong to the next load, whose first line is missing. */
static void weights_model(struct load_run_reading *run)
{
    bool over = run->context >= 0 && run->contexts.items[run->context].has_content;
    if (over) {
        run_begin_model(run, run->next_is_draft ? MODEL_DRAFT : MODEL_UNKNOWN,
                        (struct raw_text){0});
        run->next_is_draft = false;
    } else {
        run_main_model(run);
    }
}

static void push_buffer(struct load_run_reading *run, struct load_buffer buffer)
{
    if (run->buffers.count < RUN_BUFFERS_MAX) {
        buffer.name = run_text(run, buffer.name);
        buffer.part = run_text(run, buffer.part);
        VECTOR_PUSH(&run->buffers, buffer);
        run->is_shown = false;
    }
}

void run_set_buffer(struct load_run_reading *run, const struct load_buffer *buffer)
{
    for (size_t i = 0; i < run->buffers.count; i++) {
        struct load_buffer *other = &run->buffers.items[i];
        if (other->kind == buffer->kind && other->model == buffer->model &&
            other->context == buffer->context && raw_equal(other->name, buffer->name) &&
            raw_equal(other->part, buffer->part)) {
            other->bytes = buffer->bytes;
            run->is_shown = false;
            return;
        }
    }
    push_buffer(run, *buffer);
}

void run_add_buffer(struct load_run_reading *run, enum load_buffer_kind kind, struct raw_text name,
                    int64_t bytes)
{
    struct load_buffer buffer = {
        .name = name, .kind = kind, .bytes = bytes, .context = LOAD_NO_CONTEXT};
    if (kind == LOAD_LORA) {
        buffer.model = run_addition(run, MODEL_ADAPTER);
    } else if (kind == LOAD_WEIGHTS || kind == LOAD_OTHER) {
        weights_model(run);
        buffer.model = run->model;
    } else {
        run_context_for(run, kind);
        buffer.context = run->context;
        buffer.model = run->contexts.items[run->context].seen.model;
    }
    if (kind == LOAD_COMPUTE) {
        run_set_buffer(run, &buffer);
    } else {
        push_buffer(run, buffer);
    }
}

void run_add_cache(struct load_run_reading *run, const struct load_cache *cache)
{
    if (run->caches.count < RUN_CACHES_MAX) {
        struct load_cache copy = *cache;
        copy.type_k = run_text(run, copy.type_k);
        copy.type_v = run_text(run, copy.type_v);
        VECTOR_PUSH(&run->caches, copy);
        run->is_shown = false;
    }
}

void run_add_device(struct load_run_reading *run, const struct load_device *device)
{
    struct load_device *place = NULL;
    for (size_t i = 0; i < run->devices.count && !place; i++) {
        if (raw_equal(run->devices.items[i].name, device->name)) {
            place = &run->devices.items[i];
        }
    }
    if (!place && run->devices.count == RUN_DEVICES_MAX) {
        return;
    }
    if (!place) {
        struct load_device fresh = {.name = run_text(run, device->name)};
        VECTOR_PUSH(&run->devices, fresh);
        place = &run->devices.items[run->devices.count - 1];
    }
    run_text_once(run, &place->description, device->description);
    run_text_once(run, &place->bus_id, device->bus_id);
    place->free_bytes = device->free_bytes.known ? device->free_bytes : place->free_bytes;
    run->is_shown = false;
}

void run_fail(struct load_run_reading *run, struct raw_text why, bool all)
{
    for (size_t i = 0; i < run->models.count; i++) {
        bool later = (int)i >= run->model; /* its own additions too */
        run->models.items[i].failed = run->models.items[i].failed || all || later;
    }
    if (run->models.count == 0 || all || run->model >= 0) {
        run->seen.error = run_text(run, why);
    }
    run->seen.ready = false;
    run->next_is_draft = false;
    run->is_shown = false;
}

void run_recover(struct load_run_reading *run)
{
    for (size_t i = 0; i < run->models.count; i++) {
        run->models.items[i].failed = run->models.items[i].failed && (int)i < run->model;
    }
    run->seen.error = (struct raw_text){0};
    run->is_shown = false;
}

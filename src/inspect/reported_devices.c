#include "inspect/reported_devices.h"

#include <string.h>

#include "base/lines.h"

enum part { PART_WEIGHTS, PART_KV_CACHE, PART_COMPUTE, PART_OTHER, PART_COUNT };

static const enum part part_of_kind[LOAD_BUFFER_KIND_COUNT] = {
    [LOAD_WEIGHTS] = PART_WEIGHTS, [LOAD_LORA] = PART_WEIGHTS,    [LOAD_KV_CACHE] = PART_KV_CACHE,
    [LOAD_STATE] = PART_KV_CACHE,  [LOAD_COMPUTE] = PART_COMPUTE, [LOAD_OUTPUT] = PART_OTHER,
    [LOAD_OTHER] = PART_OTHER,
};

static struct figure *figure_at(struct model_device *device, enum part part)
{
    struct figure *parts[PART_COUNT] = {&device->weights_bytes, &device->kv_cache_bytes,
                                        &device->compute_bytes, &device->other_bytes};
    return parts[part];
}

static struct figure *estimate_at(struct model_device *device, enum part part)
{
    struct figure *parts[PART_COUNT] = {
        &device->estimated_weights_bytes, &device->estimated_kv_cache_bytes,
        &device->estimated_compute_bytes, &device->estimated_other_bytes};
    return parts[part];
}

static struct raw_text raw_of(struct text text)
{
    return (struct raw_text){text.utf8, text.size};
}

/* A list of devices that has room for all it may get. */
struct device_list {
    struct arena *arena;
    const struct device_scene *scene;
    struct model_device *items;
    size_t count;
};

static struct model_device *device_named(struct device_list *list, struct raw_text name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (raw_equal(raw_of(list->items[i].device), name)) {
            return &list->items[i];
        }
    }
    struct model_device *device = &list->items[list->count++];
    device->device = text_from_raw(list->arena, name);
    if (list->scene) {
        struct device_found found = device_find(list->arena, list->scene, name);
        if (found.place == DEVICE_ADAPTER) {
            device->adapter_id = text_copy(list->arena, found.adapter->id);
        }
    }
    return device;
}

static void add_bytes(struct model_device *device, enum part part, int64_t bytes)
{
    struct figure *figure = figure_at(device, part);
    *figure = figure_known(figure->value + (double)bytes, HOW_REPORTED);
}

/* llama.cpp's "Meta()" is one device made of all cards; its lines say what each of them holds at
 * most. */
static void add_to_each(struct device_list *list, const struct load_run *run, enum part part,
                        int64_t bytes)
{
    for (size_t i = 0; i < run->device_count; i++) {
        add_bytes(device_named(list, run->devices[i].name), part, bytes);
    }
}

void reported_devices(struct arena *arena, const struct load_run *run, size_t index,
                      const struct device_scene *scene, struct model *model)
{
    struct device_scene own = scene ? *scene : (struct device_scene){0};
    struct device_list list = {
        .arena = arena,
        .scene = scene ? &own : NULL,
        .items = ARENA_ARRAY(arena, struct model_device, run->buffer_count + run->device_count)};
    own.logged = run->devices;
    own.logged_count = run->device_count;
    for (size_t i = 0; i < run->buffer_count; i++) {
        const struct load_buffer *buffer = &run->buffers[i];
        enum part part = part_of_kind[buffer->kind];
        if (buffer->model != (int)index) {
            continue;
        }
        if (load_buffer_is_host(buffer->name)) {
            add_bytes(device_named(&list, raw_from_string("host")), part, buffer->bytes);
        } else if (raw_starts_with(buffer->name, "Meta(") && run->device_count) {
            add_to_each(&list, run, part, buffer->bytes);
        } else {
            add_bytes(device_named(&list, buffer->name), part, buffer->bytes);
        }
    }
    model->devices = list.items;
    model->device_count = list.count;
}

/* Sums of two figures of the same device; an unknown one adds nothing. */
static void add_figure(struct figure *place, struct figure figure)
{
    if (figure_is_known(figure)) {
        *place = figure_known(place->value + figure.value, figure.how);
    }
}

static bool is_reported(const struct device_list *list, enum part part)
{
    for (size_t i = 0; i < list->count; i++) {
        if (figure_at(&list->items[i], part)->how == HOW_REPORTED) {
            return true;
        }
    }
    return false;
}

/* From the bracket on: "[192.0.2.10:50052]"; empty where a device is of this machine. */
static struct raw_text place_of(struct text device)
{
    const char *bracket = device.size > 0 ? memchr(device.utf8, '[', device.size) : NULL;
    size_t before = bracket ? (size_t)(bracket - device.utf8) : device.size;
    return (struct raw_text){bracket, device.size - before};
}

/* "RPC0" of a flag is "RPC0[192.0.2.10:50052]" in the log; each server counts its own devices. */
static bool is_same_remote(struct text a, struct text b)
{
    struct raw_text left = place_of(a), right = place_of(b);
    if (left.length > 0 && right.length > 0)
        return raw_equal(left, right);
    size_t left_size = a.size - left.length, right_size = b.size - right.length;
    return left.length != right.length &&
           raw_equal((struct raw_text){a.utf8, left_size}, (struct raw_text){b.utf8, right_size});
}

/* The entry of the same device, by its name or by its adapter; a new one where there is none. */
static struct model_device *counterpart(struct device_list *list, const struct model_device *other)
{
    for (size_t i = 0; i < list->count && !text_is_none(other->adapter_id); i++) {
        if (text_equal(list->items[i].adapter_id, other->adapter_id)) {
            return &list->items[i];
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        if (is_same_remote(list->items[i].device, other->device)) {
            return &list->items[i];
        }
    }
    struct model_device *device = device_named(list, raw_of(other->device));
    device->adapter_id = text_is_none(device->adapter_id) ? other->adapter_id : device->adapter_id;
    return device;
}

void reported_fold_devices(struct arena *arena, const struct model_device *before,
                           size_t before_count, struct model *model)
{
    struct device_list list = {
        .arena = arena,
        .items = ARENA_ARRAY(arena, struct model_device, model->device_count + before_count)};
    bool reports[PART_COUNT];
    for (size_t i = 0; i < model->device_count; i++) {
        struct model_device said = model->devices[i];
        struct model_device *device = device_named(&list, load_buffer_device(raw_of(said.device)));
        device->adapter_id =
            text_is_none(device->adapter_id) ? said.adapter_id : device->adapter_id;
        for (int part = 0; part < PART_COUNT; part++) {
            add_figure(figure_at(device, (enum part)part), *figure_at(&said, (enum part)part));
        }
    }
    for (int part = 0; part < PART_COUNT; part++) {
        reports[part] = is_reported(&list, (enum part)part);
    }
    for (size_t i = 0; i < before_count; i++) {
        struct model_device estimated = before[i];
        struct model_device *device = counterpart(&list, &estimated);
        for (int k = 0; k < PART_COUNT; k++) {
            enum part part = (enum part)k;
            struct figure figure = *figure_at(&estimated, part);
            if (reports[part] && figure.how == HOW_ESTIMATED) {
                *estimate_at(device, part) = figure;
            } else if (!reports[part] && figure_is_known(figure)) {
                *figure_at(device, part) = figure;
            }
        }
    }
    model->devices = list.items;
    model->device_count = list.count;
}

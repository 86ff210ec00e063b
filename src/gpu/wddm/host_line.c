#include "gpu/wddm/host_line.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "gpu/wddm/counters.h"
#include "gpu/wddm/instance.h"

/* More than any machine has: a list beyond that is as good as not read. */
enum { ITEMS_MAX = 8192, PROCESSES_MAX = 4096, ADAPTERS_MAX = 64 };

static struct raw_text copy_string(struct arena *arena, const json_t *value)
{
    if (!json_is_string(value))
        return (struct raw_text){NULL, 0};
    size_t length = json_string_length(value);
    return (struct raw_text){arena_string(arena, json_string_value(value), length), length};
}

/* A whole number between 0 and `most`; numbers are read as reals, which holds them all exactly. */
static bool whole_number(const json_t *value, double most, double *number)
{
    if (!json_is_number(value))
        return false;
    *number = json_number_value(value);
    return *number >= 0 && *number <= most && floor(*number) == *number;
}

static struct measured value_of(const json_t *value, enum pdh_path path)
{
    if (!json_is_number(value))
        return measured_unknown(REASON_bad_status);
    return path == PDH_UTILIZATION ? pdh_load(json_number_value(value))
                                   : pdh_bytes(json_number_value(value));
}

static struct pdh_array array_of(struct arena *arena, const json_t *list, enum pdh_path path)
{
    if (!json_is_array(list) || json_array_size(list) > ITEMS_MAX)
        return (struct pdh_array){.read = false};
    struct pdh_item *items = ARENA_ARRAY(arena, struct pdh_item, json_array_size(list));
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        struct raw_text instance = copy_string(arena, json_array_get(pair, 0));
        if (instance.bytes)
            items[count++] = (struct pdh_item){instance, value_of(json_array_get(pair, 1), path)};
    }
    return (struct pdh_array){.read = true, .items = items, .count = count};
}

static void read_counters(struct arena *arena, json_t *pdh, struct wddm_sample *sample)
{
    struct pdh_array arrays[PDH_PATH_COUNT] = {{.read = false}};
    const char *key;
    json_t *list;
    json_object_foreach(pdh, key, list)
    {
        enum pdh_path path = pdh_path_of(key);
        if (path < PDH_PATH_COUNT)
            arrays[path] = array_of(arena, list, path);
    }
    wddm_counters(arena, arrays, sample);
}

static void read_processes(struct arena *arena, const json_t *list, struct wddm_sample *sample)
{
    struct wddm_process *processes = ARENA_ARRAY(arena, struct wddm_process, json_array_size(list));
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < PROCESSES_MAX; i++) {
        const json_t *entry = json_array_get(list, i);
        const json_t *started = json_array_get(entry, 2);
        double pid;
        if (!whole_number(json_array_get(entry, 0), UINT32_MAX, &pid))
            continue;
        struct wddm_process *process = &processes[count++];
        *process = (struct wddm_process){
            .pid = (int64_t)pid,
            .name = copy_string(arena, json_array_get(entry, 1)),
        };
        double seconds = json_number_value(started);
        process->has_started = json_is_number(started) && seconds > 0 && seconds < 9e9;
        if (process->has_started)
            process->started_us = (int64_t)llround(seconds * 1e6);
    }
    sample->processes = processes;
    sample->process_count = count;
}

static struct measured bytes_of(const json_t *value)
{
    double number;
    return whole_number(value, 9e18, &number) ? measured_known((int64_t)number)
                                              : measured_unknown(REASON_not_reported);
}

static void read_adapters(struct arena *arena, const json_t *list, struct wddm_sample *sample)
{
    struct wddm_adapter *adapters = ARENA_ARRAY(arena, struct wddm_adapter, json_array_size(list));
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < ADAPTERS_MAX; i++) {
        const json_t *entry = json_array_get(list, i);
        struct raw_text luid = copy_string(arena, json_object_get(entry, "luid"));
        struct wddm_adapter adapter = {
            .name = copy_string(arena, json_object_get(entry, "name")),
            .dedicated_bytes = bytes_of(json_object_get(entry, "dedicated_bytes")),
            .shared_limit_bytes = bytes_of(json_object_get(entry, "shared_limit_bytes")),
        };
        double vendor;
        if (whole_number(json_object_get(entry, "vendor_id"), UINT32_MAX, &vendor))
            adapter.vendor_id = (uint32_t)vendor;
        if (luid.bytes && wddm_luid_parse(luid, &adapter.luid))
            adapters[count++] = adapter;
    }
    sample->adapters = adapters;
    sample->adapter_count = count;
}

static void read_event(struct arena *arena, json_t *object, const char *event,
                       struct host_line *parsed)
{
    parsed->text = copy_string(arena, json_object_get(object, "text"));
    if (strcmp(event, "hello") == 0) {
        parsed->kind = HOST_LINE_HELLO;
        read_adapters(arena, json_object_get(object, "adapters"), &parsed->sample);
    } else {
        parsed->kind = strcmp(event, "error") == 0 ? HOST_LINE_ERROR
                       : strcmp(event, "bye") == 0 ? HOST_LINE_BYE
                                                   : HOST_LINE_OTHER;
    }
}

static void read_object(struct arena *arena, json_t *object, struct host_line *parsed)
{
    const json_t *event = json_object_get(object, "event");
    const json_t *seconds = json_object_get(object, "t");
    if (event) {
        read_event(arena, object, json_is_string(event) ? json_string_value(event) : "", parsed);
    } else if (json_is_number(seconds) && json_number_value(seconds) > -9e9 &&
               json_number_value(seconds) < 9e9) {
        parsed->kind = HOST_LINE_SAMPLE;
        parsed->seconds = json_number_value(seconds);
        read_counters(arena, json_object_get(object, "pdh"), &parsed->sample);
        read_processes(arena, json_object_get(object, "processes"), &parsed->sample);
    }
}

void host_line_parse(struct raw_text line, struct arena *arena, struct host_line *parsed)
{
    *parsed = (struct host_line){.kind = HOST_LINE_NONE};
    if (line.length == 0 || line.length > HOST_LINE_LIMIT)
        return;
    /* As reals: bytes are exact up to 2^53, and a phantom beyond 63 bits must not spoil the line.
     */
    json_t *object = json_loadb(line.bytes, line.length, JSON_DECODE_INT_AS_REAL, NULL);
    if (json_is_object(object))
        read_object(arena, object, parsed);
    json_decref(object);
}

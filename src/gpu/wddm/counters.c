#include "gpu/wddm/counters.h"

#include "gpu/wddm/instance.h"

static const char *const paths[PDH_PATH_COUNT] = {
    [PDH_LOCAL] = "\\GPU Process Memory(*)\\Local Usage",
    [PDH_NON_LOCAL] = "\\GPU Process Memory(*)\\Non Local Usage",
    [PDH_COMMITTED] = "\\GPU Process Memory(*)\\Total Committed",
    [PDH_DEDICATED] = "\\GPU Process Memory(*)\\Dedicated Usage",
    [PDH_ADAPTER_DEDICATED] = "\\GPU Adapter Memory(*)\\Dedicated Usage",
    [PDH_ADAPTER_SHARED] = "\\GPU Adapter Memory(*)\\Shared Usage",
    [PDH_UTILIZATION] = "\\GPU Engine(*)\\Utilization Percentage",
};

const char *pdh_path_text(enum pdh_path path)
{
    return paths[path];
}

static bool equal_folded(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char left = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        char right = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (left != right)
            return false;
    }
    return *a == *b;
}

enum pdh_path pdh_path_of(const char *text)
{
    int path = 0;
    while (path < PDH_PATH_COUNT && !equal_folded(paths[path], text))
        path++;
    return (enum pdh_path)path;
}

struct measured pdh_bytes(double value)
{
    /* Both comparisons are false for what is no number. */
    if (!(value >= 0) || !(value < 9.2e18))
        return measured_unknown(REASON_larger_than_adapter);
    return measured_known((int64_t)value);
}

struct measured pdh_load(double percent)
{
    if (!(percent >= 0))
        return measured_unknown(REASON_counter_not_monotonic);
    if (!(percent < 1e6))
        return measured_unknown(REASON_incredible_value);
    return measured_known((int64_t)(percent * 1000 + 0.5));
}

static struct wddm_list bytes_list(struct arena *arena, const struct pdh_array *array,
                                   bool of_processes)
{
    if (!array->read)
        return (struct wddm_list){.read = false, .why_not = array->why_not};
    struct wddm_bytes *items = ARENA_ARRAY(arena, struct wddm_bytes, array->count);
    size_t count = 0;
    for (size_t i = 0; i < array->count; i++) {
        struct wddm_instance instance;
        if (wddm_instance_parse(array->items[i].instance, &instance) &&
            instance.has_pid == of_processes && !instance.has_engine)
            items[count++] =
                (struct wddm_bytes){instance.pid, instance.luid, array->items[i].value};
    }
    return (struct wddm_list){.read = true, .items = items, .count = count};
}

static void set_engines(struct arena *arena, const struct pdh_array *array,
                        struct wddm_sample *sample)
{
    sample->engines_read = array->read;
    sample->engines_why_not = array->why_not;
    struct wddm_engine *engines = ARENA_ARRAY(arena, struct wddm_engine, array->count);
    size_t count = 0;
    for (size_t i = 0; i < array->count; i++) {
        struct wddm_instance instance;
        if (!wddm_instance_parse(array->items[i].instance, &instance) || !instance.has_engine)
            continue;
        engines[count++] = (struct wddm_engine){
            .pid = instance.pid,
            .luid = instance.luid,
            .physical = instance.physical,
            .number = instance.engine,
            .duplicate = instance.duplicate,
            .type = wddm_engine_type(instance.type),
            .column = wddm_engine_column(instance.type),
            .millipercent = array->items[i].value,
        };
    }
    sample->engines = engines;
    sample->engine_count = count;
}

void wddm_counters(struct arena *arena, const struct pdh_array arrays[PDH_PATH_COUNT],
                   struct wddm_sample *sample)
{
    static const enum pdh_path of_process[WDDM_PROCESS_LIST_COUNT] = {
        [WDDM_LOCAL] = PDH_LOCAL,
        [WDDM_NON_LOCAL] = PDH_NON_LOCAL,
        [WDDM_COMMITTED] = PDH_COMMITTED,
        [WDDM_DEDICATED] = PDH_DEDICATED,
    };
    static const enum pdh_path of_adapter[WDDM_ADAPTER_LIST_COUNT] = {
        [WDDM_ADAPTER_DEDICATED] = PDH_ADAPTER_DEDICATED,
        [WDDM_ADAPTER_SHARED] = PDH_ADAPTER_SHARED,
    };
    for (int i = 0; i < WDDM_PROCESS_LIST_COUNT; i++)
        sample->process[i] = bytes_list(arena, &arrays[of_process[i]], true);
    for (int i = 0; i < WDDM_ADAPTER_LIST_COUNT; i++)
        sample->adapter[i] = bytes_list(arena, &arrays[of_adapter[i]], false);
    set_engines(arena, &arrays[PDH_UTILIZATION], sample);
}

#include "gpu/wddm/raw_counters.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/map.h"
#include "gpu/wddm/instance.h"

/* Beyond this, in percent, no jitter explains it. */
#define CREDIBLE_PERCENT 1e6

/* An engine as one process sees it. */
struct engine_key {
    int64_t pid;
    uint64_t luid;
    uint32_t physical, number, duplicate, type;
};

struct known_engine {
    struct raw_value value;
    uint64_t step;
};

struct raw_counters {
    struct map *engines; /* struct engine_key -> struct known_engine: of this step or the last */
    uint64_t step;
};

struct raw_counters *raw_counters_new(void)
{
    struct raw_counters *counters = memory_new(sizeof *counters);
    counters->engines = map_new(sizeof(struct engine_key), sizeof(struct known_engine));
    return counters;
}

void raw_counters_free(struct raw_counters **counters)
{
    if (!*counters)
        return;
    map_free(&(*counters)->engines);
    free(*counters);
    *counters = NULL;
}

void raw_counters_forget(struct raw_counters *counters)
{
    map_clear(counters->engines);
}

enum reason raw_why_not(uint32_t status)
{
    switch (status) {
    case PDH_NO_MACHINE:
    case PDH_NO_INSTANCE:
    case PDH_NO_OBJECT:
    case PDH_NO_COUNTER:
    case PDH_NOT_ASKED:
        return REASON_no_instance;
    case PDH_NEGATIVE_DENOMINATOR:
    case PDH_NEGATIVE_TIMEBASE:
    case PDH_NEGATIVE_VALUE:
        return REASON_counter_not_monotonic;
    default:
        return REASON_bad_status;
    }
}

struct measured raw_bytes(const struct pdh_raw_item *item)
{
    if (!pdh_is_valid(item->status))
        return measured_unknown(raw_why_not(item->status));
    return item->first < 0 ? measured_unknown(REASON_larger_than_adapter)
                           : measured_known(item->first);
}

/* Differences of counters that lie anywhere in 64 bits. */
static double difference(int64_t now, int64_t before)
{
    return now >= before ? (double)((uint64_t)now - (uint64_t)before)
                         : -(double)((uint64_t)before - (uint64_t)now);
}

struct measured raw_rate(const struct raw_value *before, const struct raw_value *now)
{
    if (!before->known)
        return measured_unknown(REASON_need_two_samples);
    if (before->start_stamp != now->start_stamp)
        return measured_unknown(before->start_stamp != IDENTITY_NO_STAMP &&
                                        now->start_stamp != IDENTITY_NO_STAMP
                                    ? REASON_pid_reused
                                    : REASON_need_two_samples);
    bool has_base = before->base_100ns != 0 && now->base_100ns != 0;
    double ran = difference(now->running_100ns, before->running_100ns);
    double passed = has_base ? difference(now->base_100ns, before->base_100ns)
                             : difference(now->time_100ns, before->time_100ns);
    if (ran < 0 || passed < 0)
        return measured_unknown(REASON_counter_not_monotonic);
    if (passed == 0)
        return measured_unknown(REASON_need_two_samples);
    double percent = 100 * ran / passed;
    if (percent >= CREDIBLE_PERCENT)
        return measured_unknown(REASON_incredible_value);
    return measured_known((int64_t)(percent * 1000 + 0.5));
}

static uint64_t stamp_of(const struct map *stamps, int64_t pid)
{
    const uint64_t *stamp = map_get(stamps, &pid);
    return stamp ? *stamp : IDENTITY_NO_STAMP;
}

/* The first of a pid counts. */
static struct map *stamps_of(const struct identity *everyone, size_t count)
{
    struct map *stamps = map_new(sizeof(int64_t), sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        bool added;
        uint64_t *stamp = map_put(stamps, &everyone[i].pid, &added);
        if (added)
            *stamp = everyone[i].start_stamp;
    }
    return stamps;
}

/* One engine instance: its rate against what is known, and what is known from now on. Instances
 * that repeat one name are told apart by their order. */
static struct measured step_engine(struct raw_counters *counters, const struct pdh_raw_item *item,
                                   const struct raw_value *now, struct engine_key *key)
{
    const struct raw_value nothing = {.known = false};
    struct known_engine *known;
    bool added;
    for (;; key->duplicate++) {
        known = map_put(counters->engines, key, &added);
        if (added || known->step != counters->step)
            break;
    }
    bool is_next = !added && known->step + 1 == counters->step;
    struct measured rate = pdh_is_valid(item->status)
                               ? raw_rate(is_next ? &known->value : &nothing, now)
                               : measured_unknown(raw_why_not(item->status));
    *known = (struct known_engine){*now, counters->step};
    known->value.known = pdh_is_valid(item->status);
    return rate;
}

static bool is_old(const void *key, void *value, void *context)
{
    const struct raw_counters *counters = context;
    const struct known_engine *known = value;
    (void)key;
    return known->step != counters->step;
}

static bool was_read(const struct pdh_raw_array *array)
{
    return pdh_is_valid(array->status) || array->status == PDH_NO_DATA;
}

static void step_engines(struct raw_counters *counters, const struct pdh_collection *collection,
                         const struct map *stamps, struct wddm_sample *sample,
                         struct wddm_engine *engines)
{
    const struct pdh_raw_array *array = &collection->arrays[PDH_UTILIZATION];
    for (size_t i = 0; i < array->count; i++) {
        const struct pdh_raw_item *item = &array->items[i];
        struct wddm_instance instance;
        if (!wddm_instance_parse(item->instance, &instance) || !instance.has_engine)
            continue;
        const struct raw_value now = {
            .known = true,
            .running_100ns = item->first,
            .base_100ns = item->second,
            .time_100ns = item->time_100ns ? item->time_100ns : collection->time_100ns,
            .start_stamp = stamp_of(stamps, instance.pid),
        };
        struct engine_key key = {instance.pid,       instance.luid,
                                 instance.physical,  instance.engine,
                                 instance.duplicate, wddm_engine_type(instance.type)};
        struct measured rate = step_engine(counters, item, &now, &key);
        engines[sample->engine_count++] = (struct wddm_engine){
            .pid = instance.pid,
            .luid = instance.luid,
            .physical = instance.physical,
            .number = instance.engine,
            .duplicate = key.duplicate,
            .type = key.type,
            .column = wddm_engine_column(instance.type),
            .millipercent = rate,
        };
    }
}

static struct pdh_array bytes_array(struct arena *arena, const struct pdh_raw_array *raw)
{
    struct pdh_array array = {.read = was_read(raw), .why_not = raw_why_not(raw->status)};
    if (!array.read)
        return array;
    struct pdh_item *items = ARENA_ARRAY(arena, struct pdh_item, raw->count);
    for (size_t i = 0; i < raw->count; i++)
        items[i] = (struct pdh_item){raw->items[i].instance, raw_bytes(&raw->items[i])};
    array.items = items;
    array.count = raw->count;
    return array;
}

void raw_counters_step(struct raw_counters *counters, struct arena *arena,
                       const struct pdh_collection *collection, const struct identity *everyone,
                       size_t everyone_count, struct wddm_sample *sample)
{
    struct pdh_array arrays[PDH_PATH_COUNT];
    const struct pdh_raw_array *utilization = &collection->arrays[PDH_UTILIZATION];
    for (int path = 0; path < PDH_PATH_COUNT; path++)
        arrays[path] = path == PDH_UTILIZATION
                           ? (struct pdh_array){.why_not = raw_why_not(utilization->status)}
                           : bytes_array(arena, &collection->arrays[path]);
    wddm_counters(arena, arrays, sample);

    struct map *stamps = stamps_of(everyone, everyone_count);
    struct wddm_engine *engines = ARENA_ARRAY(arena, struct wddm_engine, utilization->count);
    counters->step++;
    sample->engines_read = was_read(utilization);
    sample->engines = engines;
    sample->engine_count = 0;
    if (sample->engines_read)
        step_engines(counters, collection, stamps, sample, engines);
    map_remove_if(counters->engines, is_old, counters);
    map_free(&stamps);
}

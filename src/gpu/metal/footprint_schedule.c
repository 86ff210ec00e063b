#include "gpu/metal/footprint_schedule.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/map.h"

struct entry {
    struct measured bytes;
    bool tried;
    int64_t tried_ns;  /* start of the last attempt */
    int64_t failed_ns; /* of the last failure */
    unsigned failures; /* in a row */
    uint64_t pass;     /* in which it was last asked about */
};

struct footprint_schedule {
    struct map *entries; /* struct identity -> struct entry */
    uint64_t pass;
};

struct footprint_schedule *footprint_schedule_new(void)
{
    struct footprint_schedule *schedule = memory_new(sizeof *schedule);
    schedule->entries = map_new(sizeof(struct identity), sizeof(struct entry));
    return schedule;
}

void footprint_schedule_free(struct footprint_schedule **schedule)
{
    if (!*schedule)
        return;
    map_free(&(*schedule)->entries);
    free(*schedule);
    *schedule = NULL;
}

static bool is_old(const void *key, void *value, void *context)
{
    (void)key;
    return ((struct entry *)value)->pass != *(const uint64_t *)context;
}

void footprint_schedule_begin(struct footprint_schedule *schedule)
{
    map_remove_if(schedule->entries, is_old, &schedule->pass);
    schedule->pass++;
}

static bool is_due(const struct entry *entry, bool busy, int64_t now_ns)
{
    if (!entry->tried)
        return true;
    if (entry->failures >= FOOTPRINT_FAILURES)
        return now_ns - entry->failed_ns >= FOOTPRINT_BACK_OFF_NS;
    return busy || !entry->bytes.known || now_ns - entry->tried_ns >= FOOTPRINT_IDLE_NS;
}

bool footprint_schedule_due(struct footprint_schedule *schedule, struct identity process, bool busy,
                            int64_t now_ns)
{
    if (!map_get(schedule->entries, &process) &&
        map_count(schedule->entries) >= FOOTPRINT_PROCESSES_MAX)
        return false;
    bool added;
    struct entry *entry = map_put(schedule->entries, &process, &added);
    if (added)
        entry->bytes = measured_unknown(REASON_starting);
    entry->pass = schedule->pass;
    return is_due(entry, busy, now_ns);
}

void footprint_schedule_started(struct footprint_schedule *schedule, struct identity process,
                                int64_t now_ns)
{
    struct entry *entry = map_get(schedule->entries, &process);
    if (!entry)
        return;
    entry->tried = true;
    entry->tried_ns = now_ns;
}

void footprint_schedule_result(struct footprint_schedule *schedule, struct identity process,
                               struct measured bytes, int64_t now_ns)
{
    struct entry *entry = map_get(schedule->entries, &process);
    if (!entry)
        return;
    if (bytes.known) {
        entry->bytes = bytes;
        entry->failures = 0;
        return;
    }
    entry->failed_ns = now_ns;
    /* After a pause one more failure begins the next one. */
    if (entry->failures < FOOTPRINT_FAILURES)
        entry->failures++;
    if (!entry->bytes.known)
        entry->bytes = bytes;
}

struct measured footprint_schedule_bytes(const struct footprint_schedule *schedule,
                                         struct identity process)
{
    const struct entry *entry = map_get(schedule->entries, &process);
    return entry ? entry->bytes : measured_unknown(REASON_starting);
}

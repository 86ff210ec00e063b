#include "timeline/process_history.h"

#include <math.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "base/map.h"

#define BUCKET_NS (PROCESS_BUCKET_SECONDS * 1000000000LL)

struct ring_key {
    struct identity identity;
    uint64_t adapter; /* hash of its id: a collision of two adapters of one machine is no harm */
};

struct ring {
    int64_t newest;               /* bucket number: running time / BUCKET_NS */
    float bytes[PROCESS_BUCKETS]; /* by number % PROCESS_BUCKETS; NAN: not seen */
};

_Static_assert(PROCESS_RINGS_MAX * sizeof(struct ring) < 1 << 19, "rings keep below half a MiB");

struct process_history {
    struct map *rings; /* ring_key -> struct ring * */
};

struct process_history *process_history_new(void)
{
    struct process_history *history = memory_new(sizeof *history);
    history->rings = map_new(sizeof(struct ring_key), sizeof(struct ring *));
    return history;
}

void process_history_free(struct process_history **history)
{
    const void *key;
    void *value;
    for (size_t at = 0; *history && map_next((*history)->rings, &at, &key, &value);) {
        free(*(struct ring **)value);
    }
    if (*history) {
        map_free(&(*history)->rings);
    }
    free(*history);
    *history = NULL;
}

static struct ring_key make_key(struct identity identity, struct text adapter_id)
{
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < adapter_id.size; i++) {
        hash = (hash ^ (unsigned char)adapter_id.utf8[i]) * 1099511628211U;
    }
    return (struct ring_key){.identity = identity, .adapter = hash};
}

static float *bucket_at(struct ring *ring, int64_t number)
{
    return &ring->bytes[number % PROCESS_BUCKETS];
}

/* The ring seen longest ago, of these the smallest. */
static const struct ring_key *find_victim(const struct process_history *history,
                                          const struct ring **victim)
{
    const struct ring_key *found = NULL;
    const void *key;
    void *value;
    for (size_t at = 0; map_next(history->rings, &at, &key, &value);) {
        struct ring *ring = *(struct ring **)value, *best = (struct ring *)(uintptr_t)*victim;
        if (!found || ring->newest < best->newest ||
            (ring->newest == best->newest &&
             *bucket_at(ring, ring->newest) < *bucket_at(best, best->newest))) {
            found = key;
            *victim = ring;
        }
    }
    return found;
}

/* A ring for a process that has none; NULL when all others are as recent and larger. */
static struct ring *add_ring(struct process_history *history, const struct ring_key *key,
                             int64_t number, float bytes)
{
    struct ring *ring = NULL;
    if (map_count(history->rings) >= PROCESS_RINGS_MAX) {
        const struct ring *victim = NULL;
        const struct ring_key *old = find_victim(history, &victim);
        if (victim->newest >= number - 1 &&
            victim->bytes[victim->newest % PROCESS_BUCKETS] >= bytes) {
            return NULL;
        }
        struct ring_key gone = *old;
        ring = (struct ring *)(uintptr_t)victim;
        map_remove(history->rings, &gone);
    } else {
        ring = memory_new(sizeof *ring);
    }
    for (size_t i = 0; i < PROCESS_BUCKETS; i++) {
        ring->bytes[i] = NAN;
    }
    ring->newest = number;
    *(struct ring **)map_put(history->rings, key, NULL) = ring;
    return ring;
}

static void ring_put(struct ring *ring, int64_t number, float bytes)
{
    if (number < ring->newest || number - ring->newest >= PROCESS_BUCKETS) {
        /* Another boot, whose clock began anew; or not seen for an hour. */
        for (size_t i = 0; i < PROCESS_BUCKETS; i++) {
            ring->bytes[i] = NAN;
        }
        ring->newest = number;
    }
    while (ring->newest < number) {
        *bucket_at(ring, ++ring->newest) = NAN;
    }
    float *bucket = bucket_at(ring, number);
    *bucket = isnan(*bucket) ? bytes : *bucket;
}

void process_history_add(struct process_history *history, int64_t running_ns,
                         struct text adapter_id, const struct memory_holders *holders)
{
    int64_t number = running_ns / BUCKET_NS;
    if (running_ns < 0) {
        return;
    }
    for (size_t i = 0; i < holders->count; i++) {
        const struct memory_holder *holder = &holders->items[i];
        float bytes = (float)holder->bytes;
        struct ring_key key = make_key(holder->process->identity, adapter_id);
        struct ring **found = map_get(history->rings, &key);
        struct ring *ring = found ? *found : add_ring(history, &key, number, bytes);
        if (ring) {
            ring_put(ring, number, bytes);
        }
    }
}

void process_history_visit(const struct process_history *history, struct identity identity,
                           struct text adapter_id, int64_t from_ns, int64_t to_ns,
                           process_history_visit_fn *visit, void *context)
{
    struct ring_key key = make_key(identity, adapter_id);
    struct ring **found = map_get(history->rings, &key);
    if (!found) {
        return;
    }
    struct ring *ring = *found;
    int64_t oldest = ring->newest >= PROCESS_BUCKETS ? ring->newest - PROCESS_BUCKETS + 1 : 0;
    for (int64_t number = oldest; number <= ring->newest; number++) {
        int64_t time_ns = number * BUCKET_NS;
        float bytes = *bucket_at(ring, number);
        if (!isnan(bytes) && time_ns >= from_ns && time_ns <= to_ns) {
            visit(context, time_ns, bytes);
        }
    }
}

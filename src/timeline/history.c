#include "timeline/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "timeline/process_history.h"

/* 256 blocks of 120 points of 96 bytes are less than 3 MiB, which is an hour at one a second for
 * eight adapters (31 blocks each). With more adapters all have a shorter past. */
enum { BLOCK_POINTS = 120, BLOCKS_MAX = 256 };

/* The machine slept, or its clock was set, when the wall clock ran ahead of the running one. */
#define SLEEP_NS 5000000000LL

struct block {
    struct block *newer;
    size_t count;
    struct history_point points[BLOCK_POINTS];
};

_Static_assert(BLOCKS_MAX * sizeof(struct block) < 3 << 20, "the history keeps below 3 MiB");

/* The points of one adapter: a chain of blocks, of which only the newest is not full. */
struct ring {
    struct ring *next;
    struct text adapter_id; /* owned */
    struct block *oldest, *newest;
    size_t count;
    int64_t wall_ns; /* of the newest point */
};

struct history {
    struct ring *rings;
    size_t block_count;
    struct process_history *processes;
    struct memory_holders holders; /* scratch */
};

struct history *history_new(void)
{
    struct history *history = memory_new(sizeof *history);
    history->processes = process_history_new();
    return history;
}

static void ring_empty(struct history *history, struct ring *ring)
{
    while (ring->oldest) {
        struct block *block = ring->oldest;
        ring->oldest = block->newer;
        free(block);
        history->block_count--;
    }
    ring->newest = NULL;
    ring->count = 0;
}

static void ring_free(struct history *history, struct ring *ring)
{
    ring_empty(history, ring);
    free((char *)(uintptr_t)ring->adapter_id.utf8);
    free(ring);
}

void history_free(struct history **history)
{
    while (*history && (*history)->rings) {
        struct ring *ring = (*history)->rings;
        (*history)->rings = ring->next;
        ring_free(*history, ring);
    }
    if (*history) {
        process_history_free(&(*history)->processes);
        memory_holders_free(&(*history)->holders);
    }
    free(*history);
    *history = NULL;
}

static struct ring *find_ring(const struct history *history, struct text adapter_id)
{
    for (struct ring *ring = history->rings; ring; ring = ring->next) {
        if (text_equal(ring->adapter_id, adapter_id)) {
            return ring;
        }
    }
    return NULL;
}

static struct ring *get_ring(struct history *history, struct text adapter_id)
{
    struct ring *ring = find_ring(history, adapter_id);
    if (!ring) {
        char *id = memory_new(adapter_id.size + 1);
        if (adapter_id.size > 0) {
            memcpy(id, adapter_id.utf8, adapter_id.size);
        }
        ring = memory_new(sizeof *ring);
        ring->adapter_id = (struct text){id, adapter_id.size};
        ring->next = history->rings;
        history->rings = ring;
    }
    return ring;
}

static void drop_oldest_block(struct history *history, struct ring *ring)
{
    struct block *block = ring->oldest;
    ring->oldest = block->newer;
    ring->newest = ring->oldest ? ring->newest : NULL;
    ring->count -= block->count;
    history->block_count--;
    free(block);
}

/* Takes the block whose points are the longest ago, whosever it is: an adapter that is gone loses
 * its past first. */
static void make_room(struct history *history, const struct ring *keep)
{
    struct ring *victim = NULL;
    for (struct ring *ring = history->rings; ring; ring = ring->next) {
        bool older = ring->oldest && (!victim || ring->oldest->points[0].running_ns <=
                                                     victim->oldest->points[0].running_ns);
        victim = older ? ring : victim;
    }
    if (!victim) {
        return;
    }
    drop_oldest_block(history, victim);
    if (victim->count > 0 || victim == keep) {
        return;
    }
    struct ring **link = &history->rings;
    while (*link != victim) {
        link = &(*link)->next;
    }
    *link = victim->next;
    ring_free(history, victim);
}

static void ring_push(struct history *history, struct ring *ring, const struct history_point *point)
{
    if (!ring->newest || ring->newest->count == BLOCK_POINTS) {
        /* A block holds HISTORY_POINTS / BLOCK_POINTS of an hour; one more for the part of it that
         * is being filled. */
        if (ring->count >= HISTORY_POINTS + BLOCK_POINTS) {
            drop_oldest_block(history, ring);
        }
        if (history->block_count == BLOCKS_MAX) {
            make_room(history, ring);
        }
        struct block *block = memory_new(sizeof *block);
        history->block_count++;
        if (ring->newest) {
            ring->newest->newer = block;
        } else {
            ring->oldest = block;
        }
        ring->newest = block;
    }
    ring->newest->points[ring->newest->count++] = *point;
    ring->count++;
}

static float float_of_figure(struct figure figure)
{
    return figure_is_known(figure) ? (float)figure.value : NAN;
}

static float float_of_measured(struct measured measured)
{
    return measured.known ? (float)measured.value : NAN;
}

/* The larger of two, of which either may be unavailable. */
static float larger(float a, float b)
{
    if (isnan(a)) {
        return b;
    }
    return b > a ? b : a;
}

static void fill_values(float values[SERIES_COUNT], const struct adapter *adapter,
                        const struct host *host)
{
    const struct temperatures *celsius = &adapter->temperatures_celsius;
    const struct figure *engines = adapter->engines_percent;
    values[SERIES_LOAD] = float_of_figure(adapter->load_percent);
    values[SERIES_VRAM] = float_of_measured(adapter->memory.vram_used_bytes);
    values[SERIES_SHARED] = float_of_measured(adapter->memory.shared_used_bytes);
    values[SERIES_MEMORY_ACTIVITY] = float_of_figure(adapter->memory_activity_percent);
    values[SERIES_PCIE_RX] = float_of_figure(adapter->pcie.rx_bytes_per_second);
    values[SERIES_PCIE_TX] = float_of_figure(adapter->pcie.tx_bytes_per_second);
    values[SERIES_TEMPERATURE] =
        larger(float_of_figure(celsius->edge),
               larger(float_of_figure(celsius->hotspot), float_of_figure(celsius->memory)));
    values[SERIES_POWER] = float_of_figure(adapter->power_watts);
    values[SERIES_CLOCK] = float_of_figure(adapter->clocks_mhz.graphics);
    values[SERIES_VIDEO] = larger(
        float_of_figure(engines[ENGINE_video]),
        larger(float_of_figure(engines[ENGINE_decode]), float_of_figure(engines[ENGINE_encode])));
    values[SERIES_HOST_CPU] = float_of_figure(host->cpu_percent);
    values[SERIES_HOST_MEMORY] = float_of_measured(host->memory_used_bytes);
}

/* What the memory map would show. Without the list of processes nothing is known of any class. */
static void fill_classes(float values[SERIES_COUNT], const struct adapter *adapter,
                         const struct memory_holders *holders)
{
    bool known = !adapter->processes_state.unknown;
    for (int class = 0; class <= SEGMENT_UNATTRIBUTED; class ++) {
        values[SERIES_CLASS + class] = known ? 0 : NAN;
    }
    for (size_t i = 0; known && i < holders->count; i++) {
        values[SERIES_CLASS + (int)holders->items[i].class] += (float)holders->items[i].bytes;
    }
    float *rest = &values[SERIES_CLASS + (int)SEGMENT_UNATTRIBUTED];
    if (!holders->used_bytes.known) {
        *rest = NAN;
    } else if (known && holders->used_bytes.value > holders->placed_bytes) {
        *rest = (float)(holders->used_bytes.value - holders->placed_bytes);
    }
}

/* True when no line leads from the ring's newest point to this one. */
static bool is_gap(const struct ring *ring, const struct snapshot *snapshot, int64_t running_ns)
{
    if (!ring->newest) {
        return false;
    }
    int64_t since_ns = running_ns - ring->newest->points[ring->newest->count - 1].running_ns;
    /* After a pause there are no rates; an adapter that was away missed snapshots. */
    if (!figure_is_known(snapshot->interval_seconds) ||
        (double)since_ns > snapshot->interval_seconds.value * 1.5e9 + 1e8) {
        return true;
    }
    return snapshot->taken_at_ns - ring->wall_ns - since_ns > SLEEP_NS;
}

void history_add(struct history *history, const struct snapshot *snapshot)
{
    double seconds = snapshot->monotonic_seconds.value;
    if (!figure_is_known(snapshot->monotonic_seconds) || !(fabs(seconds) < 9e9)) {
        return;
    }
    int64_t running_ns = (int64_t)(seconds * 1e9);
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        const struct adapter *adapter = &snapshot->adapters[i];
        struct ring *ring = get_ring(history, adapter->id);
        if (ring->newest) {
            int64_t newest_ns = ring->newest->points[ring->newest->count - 1].running_ns;
            if (newest_ns == running_ns) {
                continue; /* the same snapshot again */
            }
            if (newest_ns > running_ns) {
                ring_empty(history, ring); /* another boot: its clock began anew */
            }
        }
        struct history_point point = {.running_ns = running_ns,
                                      .gap_before = is_gap(ring, snapshot, running_ns)};
        memory_holders_collect(&history->holders, snapshot, adapter);
        fill_values(point.values, adapter, &snapshot->host);
        fill_classes(point.values, adapter, &history->holders);
        process_history_add(history->processes, running_ns, adapter->id, &history->holders);
        ring_push(history, ring, &point);
        ring->wall_ns = snapshot->taken_at_ns;
    }
}

static void request_take(struct history_request *request, const struct history_point *point)
{
    if (request->visit) {
        request->visit(request->context, point);
    } else {
        request->points[request->count] = *point;
    }
    request->count++;
}

static void take_process(void *context, int64_t running_ns, float bytes)
{
    struct history_request *request = context;
    struct history_point point = {.running_ns = running_ns};
    for (int series = 0; series < SERIES_COUNT; series++) {
        point.values[series] = series == SERIES_VRAM ? bytes : NAN;
    }
    if (request->visit || request->count < request->limit) {
        request_take(request, &point);
    }
}

bool history_get(const struct history *history, struct history_request *request)
{
    const struct ring *ring = find_ring(history, request->adapter_id);
    request->count = 0;
    if (!ring) {
        return false;
    }
    if (request->process.pid != 0) {
        process_history_visit(history->processes, request->process, request->adapter_id,
                              request->from_ns, request->to_ns, take_process, request);
        return true;
    }
    size_t matching = 0, kept = ring->count < HISTORY_POINTS ? ring->count : HISTORY_POINTS;
    size_t too_old = ring->count - kept;
    for (int pass = request->visit ? 1 : 0; pass < 2; pass++) {
        size_t at = 0, found = 0;
        for (const struct block *block = ring->oldest; block; block = block->newer) {
            for (size_t i = 0; i < block->count; i++, at++) {
                const struct history_point *point = &block->points[i];
                if (at < too_old || point->running_ns < request->from_ns ||
                    point->running_ns > request->to_ns) {
                    continue;
                }
                if (pass == 1 && (request->visit || found + request->limit >= matching)) {
                    request_take(request, point);
                }
                found++;
            }
        }
        matching = found;
    }
    return true;
}

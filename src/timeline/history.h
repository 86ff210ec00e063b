/* The past hour of each adapter's figures, and of what processes hold on it, in a fixed memory
 * budget: one ring an adapter, one compact point a sample. Pure over snapshots. */
#ifndef TIMELINE_HISTORY_H
#define TIMELINE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/memory_holders.h"

/* Figures that charts can show. NAN in a point: unavailable there. */
enum series {
    SERIES_LOAD,            /* percent */
    SERIES_VRAM,            /* bytes */
    SERIES_SHARED,          /* bytes */
    SERIES_MEMORY_ACTIVITY, /* percent */
    SERIES_PCIE_RX,         /* bytes a second */
    SERIES_PCIE_TX,
    SERIES_TEMPERATURE, /* degrees, the hottest sensor known */
    SERIES_POWER,       /* watts */
    SERIES_CLOCK,       /* MHz, graphics */
    SERIES_VIDEO,       /* percent: the busiest of decode, encode, video */
    SERIES_HOST_CPU,    /* percent */
    SERIES_HOST_MEMORY, /* bytes */
    /* Bytes by class, measured and inferred, in the order of enum segment_class up to unattributed:
     * what the memory map shows. Together they are what is in use. */
    SERIES_CLASS,
    SERIES_COUNT = SERIES_CLASS + SEGMENT_UNATTRIBUTED + 1
};

struct history_point {
    int64_t running_ns;
    float values[SERIES_COUNT];
    bool gap_before; /* sampling was paused or the machine slept: no line is drawn across */
};

enum { HISTORY_POINTS = 3600 };

struct history;

struct history *history_new(void);
void history_free(struct history **history);
/* Adds one point an adapter. An adapter that disappeared keeps its ring until room is needed. */
void history_add(struct history *history, const struct snapshot *snapshot);

/* The points of one adapter with from_ns <= running_ns <= to_ns, oldest first: each is handed to
 * `visit`, or, where that is NULL, copied into `points` (room for `limit`), where the newest are
 * kept when there are more. */
struct history_request {
    struct text adapter_id;
    int64_t from_ns, to_ns;
    /* With a pid: the memory of this process on the adapter in place of its own figures, every 8
     * seconds, in SERIES_VRAM; the 256 processes that count most have a past. */
    struct identity process;
    void (*visit)(void *context, const struct history_point *point);
    void *context;
    struct history_point *points; /* the caller's */
    size_t limit;
    size_t count; /* filled, or visited */
};
/* False when nothing is known of the adapter. */
bool history_get(const struct history *history, struct history_request *request);

#endif

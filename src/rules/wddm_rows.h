/* What one Windows process has on one adapter, from the counters of one sample: the same rules for
 * the Windows backend and for the Windows processes seen from WSL.
 *
 * Resident memory is Local Usage and Non Local Usage, each summed over the instances of (pid,
 * LUID). A value below 0 or above what the adapter has is a phantom: it is refused, and nothing is
 * summed with it. A load is that of the busiest engine, never a sum: an engine is one queue, so
 * more than 100 is jitter and is 100. Source: SPEC section 5 (Windows), reference windows.md. */
#ifndef RULES_WDDM_ROWS_H
#define RULES_WDDM_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "reading/wddm.h"

struct wddm_limits {
    uint64_t luid;
    /* What the adapter has; unknown: no bound. Of one that shares the system's memory all of it is
     * dedicated_bytes. */
    struct measured dedicated_bytes, shared_bytes;
    struct measured all_bytes; /* unknown: both together */
};

struct wddm_row {
    int64_t pid;
    uint64_t luid;
    struct measured local_bytes, non_local_bytes, committed_bytes;
    struct measured paged_bytes; /* committed and resident nowhere: an estimate */
    struct measured engine_millipercent[ENGINE_COUNT], load_millipercent;
};

struct wddm_rows {
    struct wddm_row *items;
    size_t count;
};

/* An adapter may have several limits: the first that knows counts. */
void wddm_rows(struct arena *arena, const struct wddm_sample *sample,
               const struct wddm_limits *limits, size_t limit_count, struct wddm_rows *rows);
/* A process's name as Windows gives it, without ".exe", in any case of the letters. */
bool wddm_is_named(const struct wddm_process *process, const char *name);

#endif

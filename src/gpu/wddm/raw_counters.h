/* From two collections of raw counters to the figures of one sample. Rates are made here, not by
 * PDH, so that each instance has its own reason: no value before (need_two_samples), a counter that
 * went back (counter_not_monotonic), a pid that is another process's now (pid_reused), a status
 * that is an error. Source: reference windows.md sections 1.3 to 1.5. */
#ifndef GPU_WDDM_RAW_COUNTERS_H
#define GPU_WDDM_RAW_COUNTERS_H

#include "base/arena.h"
#include "gpu/wddm/pdh_raw.h"
#include "reading/identity.h"
#include "reading/wddm.h"

/* What an engine's counter said in one collection. */
struct raw_value {
    bool known; /* false: nothing comparable */
    int64_t running_100ns, base_100ns, time_100ns;
    uint64_t start_stamp; /* of the process; IDENTITY_NO_STAMP: unknown */
};

/* 0.001 % of the engine between two values of one instance, not clamped. */
struct measured raw_rate(const struct raw_value *before, const struct raw_value *now);
/* Bytes of a memory counter. */
struct measured raw_bytes(const struct pdh_raw_item *item);
/* The reason that stands for a status which is no data. */
enum reason raw_why_not(uint32_t status);

struct raw_counters; /* the engines of the collection before */

struct raw_counters *raw_counters_new(void);
void raw_counters_free(struct raw_counters **counters);
/* After a gap: the next collection is a first one. */
void raw_counters_forget(struct raw_counters *counters);
/* Fills the lists and engines of `sample`; what it points to lives in `arena`, the names in that of
 * the collection. `everyone` are the processes there are at this collection. */
void raw_counters_step(struct raw_counters *counters, struct arena *arena,
                       const struct pdh_collection *collection, const struct identity *everyone,
                       size_t everyone_count, struct wddm_sample *sample);

#endif

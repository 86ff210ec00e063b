/* Between the sampler and the inspector: whom to ask about, and what is known of them. */
#ifndef SAMPLER_INSPECTIONS_H
#define SAMPLER_INSPECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "inspect/inspector.h"
#include "reading/pass.h"
#include "reading/process.h"
#include "reading/reading.h"
#include "snapshot/snapshot.h"

/* What is known for one sample; references. */
struct inspections {
    struct inspection *items[INSPECTION_WISHES_MAX];
    size_t count;
};

/* Wants every local process of the reading but our own: the selected one first, then by the memory
 * that the last snapshot (NULL: none) gives them. */
void inspections_want(struct inspector *inspector, const struct system_reading *system,
                      const struct snapshot *last, const struct pass *pass, int64_t self_pid);
/* The newest inspection of each process of the reading. Waits until each has been looked at once,
 * or thread_clock_ns() passes `until_ns`; 0: takes what is there. */
void inspections_take(struct inspections *inspections, struct inspector *inspector,
                      const struct system_reading *system, int64_t until_ns);
void inspections_drop(struct inspections *inspections);

#endif

/* What happened between two successive snapshots of one source, in words. Pure; computed once, by
 * the live source, and carried in the snapshot.
 *
 * Unknown is never an event: a process ends only when a list that was read does not name it, a
 * spill begins only when two figures are known, a model is loaded only by a process that was looked
 * into before or that started in our sight. What was known before a gap is remembered, so that
 * the event comes when the figure is known again. */
#ifndef TIMELINE_EVENTS_H
#define TIMELINE_EVENTS_H

#include "snapshot/snapshot.h"

/* A process spills from this many bytes on, and until it holds less than the second number: every
 * desktop program keeps a few MiB of buffers in system memory. */
#define EVENTS_SPILL_BEGIN_BYTES (64LL << 20)
#define EVENTS_SPILL_END_BYTES (32LL << 20)

/* Risk of running out of memory above the first share of it, until it falls below the second. */
#define EVENTS_MEMORY_RISK_PERCENT 97
#define EVENTS_MEMORY_SAFE_PERCENT 92

/* Throttling is over when it has stayed away for so long. */
#define EVENTS_THROTTLE_CALM_NS 10000000000LL

struct events_state;

struct events_state *events_state_new(void);
void events_state_free(struct events_state **state);

/* Appends the events since `before` to `now` (in its arena, which must not be published yet).
 * Without `before`, and in the first call, `now` is only remembered. `before` is used during the
 * call only. `seq` of the events goes on over the life of the state, from 1. */
void events_step(struct events_state *state, const struct snapshot *before, struct snapshot *now);

#endif

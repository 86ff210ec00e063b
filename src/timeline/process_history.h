/* The past hour of what single processes hold on an adapter, in a fixed memory budget: the largest
 * of those seen last. Internal to timeline; history.h hands it out. */
#ifndef TIMELINE_PROCESS_HISTORY_H
#define TIMELINE_PROCESS_HISTORY_H

#include <stdint.h>

#include "base/text.h"
#include "reading/identity.h"
#include "snapshot/memory_holders.h"

/* A process's bytes are kept every 8 seconds (the first of those): 450 an hour. */
enum { PROCESS_RINGS_MAX = 256, PROCESS_BUCKET_SECONDS = 8, PROCESS_BUCKETS = 450 };

struct process_history;

struct process_history *process_history_new(void);
void process_history_free(struct process_history **history);
void process_history_add(struct process_history *history, int64_t running_ns,
                         struct text adapter_id, const struct memory_holders *holders);

typedef void process_history_visit_fn(void *context, int64_t running_ns, float bytes);
/* Calls back for each bucket known that begins between the two times, oldest first. */
void process_history_visit(const struct process_history *history, struct identity identity,
                           struct text adapter_id, int64_t from_ns, int64_t to_ns,
                           process_history_visit_fn *visit, void *context);

#endif

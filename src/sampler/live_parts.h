/* Inside the live source: what its callers see (live.c), and the thread that samples
 * (live_sampling.c). */
#ifndef SAMPLER_LIVE_PARTS_H
#define SAMPLER_LIVE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"
#include "inspect/inspector.h"
#include "os/wake.h"
#include "sampler/assemble.h"
#include "sampler/foreign_cache.h"
#include "sampler/live.h"
#include "sampler/tick.h"
#include "timeline/history.h"

struct live {
    struct source source; /* must be first */
    struct machine *machine;
    struct live_options options;

    /* The sampler thread's own. */
    struct thread *thread;
    struct tick *tick;
    struct inspector *inspector;
    struct assembler *assembler;
    struct foreign_cache *foreign; /* WSL; NULL: none, or not loaded yet */
    struct snapshot_pool *pool;
    struct wake *wake; /* wakes the sampler: an answer, a request, the end */
    uint64_t number;
    int64_t begun_running_ns; /* the running clock when the newest sample began */
    struct pass pass; /* of the sample at work; the collector's thread begins it when armed */
    int64_t armed_ns; /* the tick begins by itself then; 0: not armed */

    struct lock *lock; /* of everything below */
    struct condition *ended_condition;
    bool stop, ended, all_ended;
    bool paused, after_gap, refresh, refresh_all;
    int64_t paused_since_ns;
    int64_t interval_ns;
    struct wanted wanted;
    struct snapshot *newest;
    struct history *history;
    struct problem last_failure;

    struct lock *listener_lock; /* of `listener` alone: who is woken finds the other lock free */
    struct wake *listener;
};

/* Wakes whoever shows snapshots. */
void live_tell(struct live *live);

/* The sampler thread: `context` is the live source. */
void live_sampling_run(void *context);

#endif

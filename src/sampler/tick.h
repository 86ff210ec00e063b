/* One sample of the machine: everybody is asked at once, and the newest completed readings are
 * given back, whoever was too slow. Used by the live source's thread alone. */
#ifndef SAMPLER_TICK_H
#define SAMPLER_TICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/machine.h"
#include "os/wake.h"
#include "reading/pass.h"
#include "reading/reading.h"
#include "sampler/collector.h"

struct tick;

enum { TICK_READINGS_MAX = 8 };

/* How long is waited: until `stop` says so or thread_clock_ns() passes. */
struct tick_patience {
    int64_t until_ns;
    bool (*stop)(void *context);
    void *context;
};

struct tick_result {
    const struct system_reading *system; /* NULL: none yet, or too old */
    bool system_is_stale;                /* it is too old */
    const struct reading *readings[TICK_READINGS_MAX];
    size_t reading_count;
    bool look_for_holders; /* a vendor's library names no processes (pass.h) */
};

/* `no_host`: in WSL, nothing is asked of Windows. */
struct tick *tick_new(struct machine *machine, struct wake *wake, bool no_host);
/* What the user selected (-g), said once before the first run: drivers that live in a helper and
 * have no GPU among it are never asked. */
void tick_select(struct tick *tick, const struct pass *pass, const char *const *selectors,
                 size_t count);
/* Asks everybody. `pids` are the processes whose details are wanted. */
void tick_begin(struct tick *tick, const struct pass *pass, const int64_t *pids, size_t pid_count,
                const struct tick_patience *patience);
/* Lets the collector's thread begin by itself when the time has come, as tick_begin() would with
 * the pass that `timer->begin` fills on that thread: the caller need not wake up for it. The wake
 * of tick_new() is signalled when the collector has done its part. False: not possible now. Nothing
 * but tick_disarm() may be called while it is armed. */
bool tick_arm(struct tick *tick, const struct collector_timer *timer, const int64_t *pids,
              size_t pid_count);
/* Takes that back. False: it has begun. */
bool tick_disarm(struct tick *tick);
/* After it has begun: waits until all have answered or the patience is at its end. Processes that a
 * driver names for the first time are fetched within the same wait. What the result points to is
 * valid until the next begin. */
void tick_finish(struct tick *tick, const struct tick_patience *patience,
                 struct tick_result *result);
/* Between two runs that are far apart: true when tick_drain() must be called every second. */
bool tick_needs_draining(const struct tick *tick);
void tick_drain(struct tick *tick);
/* False when something is stuck in the kernel and was abandoned: what it uses must stay. */
bool tick_close(struct tick **tick, int64_t patience_ns);

#endif

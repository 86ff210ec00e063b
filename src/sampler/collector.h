/* The collector: one thread that reads the system and the drivers whose words are kernel files. It
 * is kicked at each tick and publishes completed readings; nobody waits for it longer than they
 * chose to. A file that hangs hangs this thread alone, which then holds no lock. */
#ifndef SAMPLER_COLLECTOR_H
#define SAMPLER_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/backend.h"
#include "os/machine.h"
#include "os/wake.h"
#include "reading/pass.h"
#include "reading/reading.h"

struct collector;

enum { COLLECTOR_BACKENDS_MAX = 4 };

enum collector_job {
    COLLECT_ALL,     /* the system, the walk, every backend */
    COLLECT_DETAILS, /* only the details of processes */
};

struct collector_timer {
    int64_t at_ns;   /* thread_clock_ns() */
    int64_t then_ns; /* when the one after it is expected: the thread sleeps until then at most */
    /* Called on the collector's thread when it is time; fills the pass. */
    void (*begin)(void *context, struct pass *pass);
    void *context;
};

/* What one kick brought. Belongs to whoever took it until collector_return(). */
struct collection {
    uint64_t pass_number;
    enum collector_job job;
    struct system_reading *system;
    struct reading
        *readings[COLLECTOR_BACKENDS_MAX]; /* one a backend; empty after COLLECT_DETAILS */
    size_t reading_count;
};

/* `backends` are those that read on this thread. `wake` is signalled at each completed collection.
 */
struct collector *collector_new(struct machine *machine, const struct backend *const *backends,
                                size_t backend_count, struct wake *wake);
/* Starts a job for these processes. False while the previous one is still running. */
bool collector_kick(struct collector *collector, enum collector_job job, const struct pass *pass,
                    const int64_t *pids, size_t pid_count);
/* Starts a COLLECT_ALL by itself when the time has come, so that its thread wakes up once for both.
 * False while a job is running. */
bool collector_arm(struct collector *collector, const struct collector_timer *timer,
                   const int64_t *pids, size_t pid_count);
/* Takes that back. False: it is too late, begin() was called and has returned. */
bool collector_disarm(struct collector *collector);
bool collector_is_busy(struct collector *collector);
/* The newest completed collection that was not taken yet, or NULL. */
struct collection *collector_take(struct collector *collector);
void collector_return(struct collector *collector, struct collection *collection);
/* Ends the thread. One that is stuck in the kernel is abandoned after `patience_ns`, with all it
 * uses; false then: the machine must not be closed. */
bool collector_close(struct collector **collector, int64_t patience_ns);

#endif

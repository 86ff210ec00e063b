/* A group of system-wide counters of the kernel's perf events, read with one call. Needs
 * CAP_PERFMON, or kernel.perf_event_paranoid at 0 or below.
 *
 * Source: perf_event_open(2). On systems without perf events every counter is refused. */
#ifndef OS_PERF_COUNTERS_H
#define OS_PERF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_COUNTERS_MAX = 96 };

enum perf_result {
    PERF_ADDED,
    PERF_DENIED,      /* no permission */
    PERF_UNSUPPORTED, /* there is no such event */
    PERF_FAILED,      /* anything else: no descriptors left ... */
};

struct perf_counters;

struct perf_counters *perf_counters_new(void);
void perf_counters_free(struct perf_counters **counters);

/* Adds one counter behind those there are; counting starts at once. `type` and `config` are those
 * of perf_event_attr; all counters of a group have the same `type` and `cpu`. */
enum perf_result perf_counters_add(struct perf_counters *counters, uint32_t type, uint64_t config,
                                   int cpu);
size_t perf_counters_count(const struct perf_counters *counters);
/* The counters' values, in the order they were added, into `values` (perf_counters_count() of
 * them), and for how long the group has been counting. False when the kernel gives none. */
bool perf_counters_read(struct perf_counters *counters, uint64_t *values, int64_t *enabled_ns);

#endif

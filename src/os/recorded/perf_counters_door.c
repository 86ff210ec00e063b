#include "os/perf_counters.h"

#include <stdlib.h>

#include "base/fatal.h"

struct perf_counters {
    size_t count;
};

struct perf_counters *perf_counters_new(void)
{
    return memory_new(sizeof(struct perf_counters));
}

void perf_counters_free(struct perf_counters **counters)
{
    free(*counters);
    *counters = NULL;
}

enum perf_result perf_counters_add(struct perf_counters *counters, uint32_t type, uint64_t config,
                                   int cpu)
{
    (void)counters;
    (void)type;
    (void)config;
    (void)cpu;
    return PERF_UNSUPPORTED;
}

size_t perf_counters_count(const struct perf_counters *counters)
{
    return counters->count;
}

bool perf_counters_read(struct perf_counters *counters, uint64_t *values, int64_t *enabled_ns)
{
    (void)counters;
    (void)values;
    (void)enabled_ns;
    return false;
}

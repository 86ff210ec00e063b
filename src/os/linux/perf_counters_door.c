#include "os/perf_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fatal.h"

/* What a read of a group gives: nr, time enabled, the values. */
enum { HEADER_WORDS = 2 };

struct perf_counters {
    int descriptors[PERF_COUNTERS_MAX]; /* the first leads the group */
    size_t count;
};

struct perf_counters *perf_counters_new(void)
{
    return memory_new(sizeof(struct perf_counters));
}

void perf_counters_free(struct perf_counters **counters)
{
    if (!*counters)
        return;
    for (size_t i = (*counters)->count; i > 0; i--)
        close((*counters)->descriptors[i - 1]);
    free(*counters);
    *counters = NULL;
}

enum perf_result perf_counters_add(struct perf_counters *counters, uint32_t type, uint64_t config,
                                   int cpu)
{
    struct perf_event_attr attributes;
    if (counters->count == PERF_COUNTERS_MAX)
        return PERF_FAILED;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = type;
    attributes.size = sizeof attributes;
    attributes.config = config;
    attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED;
    int leader = counters->count > 0 ? counters->descriptors[0] : -1;
    long descriptor =
        syscall(SYS_perf_event_open, &attributes, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
    if (descriptor >= 0) {
        counters->descriptors[counters->count++] = (int)descriptor;
        return PERF_ADDED;
    }
    switch (errno) {
    case EACCES:
    case EPERM:
        return PERF_DENIED;
    case ENOENT:
    case EINVAL:
    case ENODEV:
    case EOPNOTSUPP:
    case ENOSYS:
        return PERF_UNSUPPORTED;
    default:
        return PERF_FAILED;
    }
}

size_t perf_counters_count(const struct perf_counters *counters)
{
    return counters->count;
}

bool perf_counters_read(struct perf_counters *counters, uint64_t *values, int64_t *enabled_ns)
{
    uint64_t words[HEADER_WORDS + PERF_COUNTERS_MAX];
    size_t expected = (HEADER_WORDS + counters->count) * sizeof words[0];
    ssize_t got;
    if (counters->count == 0)
        return false;
    do
        got = read(counters->descriptors[0], words, expected);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)expected || words[0] != counters->count || words[1] > INT64_MAX)
        return false;
    *enabled_ns = (int64_t)words[1];
    memcpy(values, words + HEADER_WORDS, counters->count * sizeof words[0]);
    return true;
}

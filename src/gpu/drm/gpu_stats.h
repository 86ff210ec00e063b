/* v3d's table of its queues, device/gpu_stats: how long each was busy since the driver started.
 * Readable by all, and no client's work is missing from it. Pure.
 *
 * Source: Documentation/ABI/testing/sysfs-driver-v3d (Linux 6.8): a heading, then
 * "queue timestamp jobs runtime" with nanoseconds, separated by tabs. */
#ifndef GPU_DRM_GPU_STATS_H
#define GPU_DRM_GPU_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/measured.h"

enum { GPU_STATS_QUEUES_MAX = 16, GPU_STATS_NAME_SIZE = 24 };

struct gpu_stats_queue {
    char name[GPU_STATS_NAME_SIZE]; /* "render" */
    int64_t timestamp_ns, runtime_ns;
};

struct gpu_stats {
    struct gpu_stats_queue queues[GPU_STATS_QUEUES_MAX];
    size_t count;
};

/* Lines of another form are left out. False when none is left. */
bool gpu_stats_parse(struct raw_text text, struct gpu_stats *stats);
/* The share of time in which the queue was busy between two tables, in millipercent: measured. */
struct said gpu_stats_load(const struct gpu_stats *before, const struct gpu_stats_queue *now);

#endif

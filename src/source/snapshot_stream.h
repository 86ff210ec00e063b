/* A source that plays snapshots from JSON lines in memory: the built-in demo. */
#ifndef SOURCE_SNAPSHOT_STREAM_H
#define SOURCE_SNAPSHOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/problem.h"
#include "source/source.h"

struct snapshot_stream_options {
    const char *name;    /* for messages about malformed lines */
    bool loops;          /* starts again at the end */
    bool shifts_to_now;  /* wall-clock times are moved so that the first snapshot is taken now */
    int64_t interval_ns; /* between two snapshots */
};

/* `bytes` must outlive the source. NULL when no line holds a snapshot: *problem. */
struct source *snapshot_stream_open(const char *bytes, size_t size,
                                    const struct snapshot_stream_options *options,
                                    struct problem *problem);

#endif

/* The calls on macOS itself: gpu/metal/macos/metal_door.c; everywhere else there is nothing to open
 * (gpu/metal/other/metal_door.c). All from the collector's thread. What a call returns lives in the
 * arena given. Nothing here waits; nothing opens a file of a user or makes a Metal device. */
#ifndef GPU_METAL_METAL_DOOR_H
#define GPU_METAL_METAL_DOOR_H

#include "base/arena.h"
#include "base/problem.h"
#include "gpu/metal/metal_sample.h"

struct metal_door; /* frameworks, the subscription, connections; kept for the run */

/* NULL with the reason in *problem when IOKit cannot be loaded, or this is no macOS. */
struct metal_door *metal_door_open(struct problem *problem);
void metal_door_close(struct metal_door **door);

/* Accelerators, their clients, and the limits of the memory. A registry that changed under the walk
 * is walked again, at most 3 times; then clients_status is METAL_FAILED. */
void metal_door_read(struct metal_door *door, struct arena *arena, struct metal_sample *sample);
/* Only the accelerators, without clients and statistics: fast, before the first frame. */
void metal_door_find(struct metal_door *door, struct arena *arena, struct metal_sample *sample);
void metal_door_ledger_names(struct metal_door *door, struct arena *arena,
                             struct metal_ledger_names *names);
/* At most `count` entries are asked for. */
void metal_door_ledger(struct metal_door *door, int64_t pid, size_t count,
                       struct metal_ledger *ledger);
/* One IOReport sample against the previous one, and the sensors. */
void metal_door_power(struct metal_door *door, struct arena *arena, struct metal_power *power);

#endif

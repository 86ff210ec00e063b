/* Runs the system's footprint(1) on one process, within a bound; only in the helper's own process,
 * which may wait. macOS has it in /usr/bin; GPUTASKMAN_FOOTPRINT names another program (tests). */
#ifndef GPU_METAL_FOOTPRINT_RUN_H
#define GPU_METAL_FOOTPRINT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What it printed, at most `size` bytes. False when it cannot be started, fails, says more, or
 * takes longer: it is killed then. */
bool footprint_run(int64_t pid, int64_t bound_ns, char *text, size_t size, size_t *length);

#endif

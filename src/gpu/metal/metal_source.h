/* Where a Mac's samples come from: the calls of this system (live.c over the door), or a recording
 * (recorded.c). Same facts, same rules. All from the collector's thread; results live in the arena.
 */
#ifndef GPU_METAL_METAL_SOURCE_H
#define GPU_METAL_METAL_SOURCE_H

#include "base/arena.h"
#include "base/problem.h"
#include "gpu/metal/metal_sample.h"
#include "os/machine.h"
#include "reading/pass.h"

struct metal_source {
    void *context; /* of all functions */
    void (*close)(void *context);
    void (*find)(void *context, uint64_t sample, struct arena *arena, struct metal_sample *out);
    void (*read)(void *context, uint64_t sample, struct arena *arena, struct metal_sample *out);
    void (*ledger_names)(void *context, uint64_t sample, struct arena *arena,
                         struct metal_ledger_names *names);
    void (*ledger)(void *context, uint64_t sample, int64_t pid, size_t count,
                   struct metal_ledger *ledger);
    void (*power)(void *context, uint64_t sample, struct arena *arena, struct metal_power *power);
    /* Measures these processes with footprint(1), or begins to; false while it is at work. */
    bool (*measure)(void *context, uint64_t sample, const int64_t *pids, size_t count);
    /* One result after the other of what was measured; false: no more for now. */
    bool (*measured)(void *context, int64_t *pid, struct measured *bytes);
};

/* False, with the reason, where there is nothing to ask. */
bool metal_live_open(struct metal_source *source, struct problem *problem);
bool metal_recorded_open(const struct machine *machine, struct metal_source *source);

enum { METAL_MEASURED_MAX = 32 }; /* processes in one go */

#endif

/* Who holds an adapter's memory: each process's measured or inferred bytes, under a class, made to
 * fit so that they can be drawn side by side. Pure. */
#ifndef SNAPSHOT_MEMORY_HOLDERS_H
#define SNAPSHOT_MEMORY_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

/* In the order of the bar. */
enum segment_class {
    SEGMENT_MODEL,
    SEGMENT_COMPUTE,
    SEGMENT_GAME,
    SEGMENT_BROWSER,
    SEGMENT_COMPOSITOR,
    SEGMENT_VIDEO,
    SEGMENT_OTHER,
    SEGMENT_UNATTRIBUTED, /* in use, by nobody we can name */
    SEGMENT_UNKNOWN,      /* the driver does not say whether it is used */
    SEGMENT_RESERVED,
    SEGMENT_FREE,
    SEGMENT_CLASS_COUNT
};

/* One process on the adapter. */
struct memory_holder {
    const struct process *process;
    const struct gpu_use *use;
    enum segment_class class;
    int64_t bytes,
        spill_bytes;     /* VRAM (with unified memory: and shared); spill of a discrete GPU */
    enum inferred_by by; /* INFERRED_NOT: measured */
};

struct memory_holders {
    struct memory_holder *items; /* by class, then size, then pid; only those that hold any */
    size_t count, capacity;
    struct measured used_bytes; /* of the adapter: VRAM, or both pools */
    /* What the items' bytes take of it together. Measured bytes are cut at the adapter's size,
     * inferred ones at what is in use beside them; in WSL these lie inside the VM's. */
    int64_t placed_bytes;
    bool above_total, inferred_cut; /* measured, inferred bytes were cut */
};

/* Fills the list (zeroed before its first use; the memory is used again). It refers into the
 * snapshot. */
void memory_holders_collect(struct memory_holders *holders, const struct snapshot *snapshot,
                            const struct adapter *adapter);
void memory_holders_free(struct memory_holders *holders);

/* Whether a use is one of this adapter, or of an instance it is divided into. */
bool gpu_use_is_on(const struct snapshot *snapshot, const struct gpu_use *use,
                   const struct adapter *adapter);
/* What the memory of an adapter is: VRAM, and on a unified GPU with two pools both together. */
struct measured memory_pools_total(const struct adapter_memory *memory);
struct measured memory_pools_used(const struct adapter_memory *memory);
/* What its processes hold is counted differently there (macOS): what the device counts as used are
 * allocations, and the difference is no rest of them. */
bool memory_counts_differ(const struct adapter_memory *memory);
/* The class under which a process's bytes are shown. */
enum segment_class segment_class_of(const struct process *process, const struct gpu_use *use);

#endif

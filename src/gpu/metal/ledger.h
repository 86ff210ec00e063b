/* A process's graphics memory in the kernel's own books (the ledger call): entries are found by
 * name, since their order differs by version. graphics_footprint holds what is resident and charged
 * to the process, graphics_footprint_compressed what is compressed or swapped out. Source: xnu
 * osfmk/kern/task.c, osfmk/vm/vm_object.c. */
#ifndef GPU_METAL_LEDGER_H
#define GPU_METAL_LEDGER_H

#include "gpu/metal/metal_sample.h"

/* Places of the entries; SIZE_MAX: this system has none of that name. */
struct ledger_places {
    enum metal_status status; /* of the reading of the names */
    size_t graphics, compressed, neural;
    size_t count; /* entries to ask for: none behind the last that is used */
};

struct ledger_places metal_ledger_places(const struct metal_ledger_names *names);

struct ledger_memory {
    struct measured graphics_bytes, compressed_bytes, neural_bytes;
};

/* EPERM is a sandbox (there is no check of the user), whatever else fails is call_failed. */
struct ledger_memory metal_ledger_memory(const struct ledger_places *places,
                                         const struct metal_ledger *ledger);

#endif

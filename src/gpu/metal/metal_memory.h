/* The graphics memory of the processes with Metal clients: by the ledger, else by footprint for our
 * own (SPEC section 5). A step with memory: schedule and ledger places are kept. */
#ifndef GPU_METAL_METAL_MEMORY_H
#define GPU_METAL_METAL_MEMORY_H

#include "gpu/metal/metal_source.h"
#include "os/macos/process_list.h"
#include "reading/metal.h"

struct metal_memory;

/* `source` must stay. */
struct metal_memory *metal_memory_new(const struct metal_source *source);
void metal_memory_free(struct metal_memory **memory);

/* Completes the processes of `metal`, and counts those that may not be read; on a recorded machine
 * all are asked in each pass. */
void metal_memory_read(struct metal_memory *memory, const struct pass *pass, bool recorded,
                       const struct macos_process_list *list,
                       struct metal_process_reading *processes, struct metal_reading *metal);
/* Where it comes from, for people. Static. */
const char *metal_memory_words(const struct metal_memory *memory);

#endif

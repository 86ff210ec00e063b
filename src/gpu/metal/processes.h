/* From Metal clients to the processes that opened them. */
#ifndef GPU_METAL_PROCESSES_H
#define GPU_METAL_PROCESSES_H

#include "base/arena.h"
#include "gpu/metal/metal_sample.h"
#include "os/macos/process_list.h"
#include "reading/metal.h"

/* Fills in the accelerators, clients and processes of `metal`, without the memory; the processes
 * are returned to be completed. One whose creator names nobody belongs to nobody. */
struct metal_process_reading *metal_processes(struct arena *arena,
                                              const struct metal_sample *sample,
                                              const struct macos_process_list *list,
                                              struct metal_reading *metal);

#endif

/* The walk over IOKit's registry: accelerators, their statistics, and the user clients below each.
 * User clients are no registered services: they are found only as an accelerator's children. */
#ifndef GPU_METAL_MACOS_REGISTRY_H
#define GPU_METAL_MACOS_REGISTRY_H

#include "gpu/metal/macos/frameworks.h"
#include "gpu/metal/metal_sample.h"

enum { REGISTRY_REDOS = 3, REGISTRY_CHILDREN_MAX = 65536 };

/* Fills accelerators and clients of the sample, and its status and time: `now_ns` is asked right
 * after the last client was read. An iterator that says it is no longer valid (the registry changed
 * under it) is reset and walked again, at most REGISTRY_REDOS times; then the listing is failed.
 * Without `clients` only who the accelerators are. */
void registry_read(const struct frameworks *frameworks, struct arena *arena, bool clients,
                   int64_t (*now_ns)(void), struct metal_sample *sample);

/* voltage-states9 (else voltage-states9-sram) of the power manager; bytes NULL: there is none. */
struct raw_text registry_frequencies(const struct frameworks *frameworks, struct arena *arena);

#endif

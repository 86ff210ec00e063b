/* CUDA_VISIBLE_DEVICES and NVIDIA_VISIBLE_DEVICES: which adapters a process may use. Pure.
 *
 * Source: CUDA C programming guide, "CUDA environment variables": a comma-separated list of indexes
 * or of UUIDs (their beginnings are enough), of MIG instances too; the first invalid entry ends it.
 * An index counts in CUDA's own order, which is the driver's only where all devices are of one
 * model; the container runtime's variable counts in the host's order, which is not known inside.
 * Where an entry is not clear nothing is concluded. */
#ifndef RULES_VISIBLE_DEVICES_H
#define RULES_VISIBLE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/adapter.h"

/* A bit an adapter (by its place in the array, at most 63) that the value allows; UINT64_MAX: any,
 * or not known. `indexes_are_ours`: numbers count these adapters. */
uint64_t visible_devices(struct raw_text value, const struct adapter_reading *adapters,
                         size_t adapter_count, bool indexes_are_ours);
/* The bit of an adapter's place; those beyond 63 share one. */
static inline uint64_t device_bit(size_t place)
{
    return UINT64_C(1) << (place < 63 ? place : 63);
}

#endif

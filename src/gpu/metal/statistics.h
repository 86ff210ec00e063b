/* An accelerator's own numbers: which key is which, and what they mean for the adapter.
 *
 * Device Utilization % is that of the whole device at the moment of reading, else GPU Activity(%);
 * above 100 it is 100. Renderer and Tiler are two units of the same device, no engines of a process
 * and no parts of the whole. Alloc system memory counts all allocations, those that are not
 * resident too. Source: reference of the registry, docs/macos.md. */
#ifndef GPU_METAL_STATISTICS_H
#define GPU_METAL_STATISTICS_H

#include "base/arena.h"
#include "gpu/metal/metal_sample.h"
#include "reading/adapter.h"

enum {
#define STATISTIC(member, key) METAL_STATISTIC_##member,
#include "gpu/metal/statistics.def"
#undef STATISTIC
    METAL_STATISTIC_COUNT
};

/* "Device Utilization %": the key in the dictionary. */
const char *metal_statistic_key(int statistic);
/* METAL_STATISTIC_COUNT for a key that is not used. Whole keys: "In use system memory (driver)" is
 * another one. */
int metal_statistic_of(struct raw_text key);
void metal_statistic_set(struct metal_accelerator *accelerator, int statistic, int64_t value);

/* What its statistics say of the adapter: load, memory and, where there, temperature, power, fan
 * and clocks; identity and memory limits too. */
void metal_adapter(struct arena *arena, const struct metal_sample *sample,
                   const struct metal_accelerator *accelerator, struct adapter_reading *adapter);

#endif

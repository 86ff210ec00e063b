/* The entries of a client's AppUsage, one an API: their GPU times add up, and one that makes no
 * sense makes the whole unknown. */
#ifndef GPU_METAL_USAGE_H
#define GPU_METAL_USAGE_H

#include "gpu/metal/metal_sample.h"

/* One entry's accumulatedGPUTime, in ns; the entries beyond METAL_USAGE_MAX are bad ones. */
void metal_usage_add(struct metal_client *client, struct measured time_ns);

#endif

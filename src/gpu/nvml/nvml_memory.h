/* Device memory from either generation of NVML's memory call. Pure. */
#ifndef GPU_NVML_MEMORY_H
#define GPU_NVML_MEMORY_H

#include "gpu/nvml/nvml_abi.h"
#include "reading/adapter.h"

/* v2: used is what was allocated; reserved is apart. total = reserved + used + free. */
void nvml_memory_from_v2(const struct nvml_memory_v2 *memory, struct adapter_reading *said);
/* v1: used includes what is reserved, which stays unknown. */
void nvml_memory_from_v1(const struct nvml_memory *memory, struct adapter_reading *said);
void nvml_memory_unknown(enum reason why_not, struct adapter_reading *said);

#endif

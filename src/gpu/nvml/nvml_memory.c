#include "gpu/nvml/nvml_memory.h"

#include "gpu/nvml/nvml_device.h"

/* 1 PiB: more than any GPU, less than a value that is no size. */
static const uint64_t largest_bytes = (uint64_t)1 << 50;

void nvml_memory_unknown(enum reason why_not, struct adapter_reading *said)
{
    said->vram_total_bytes = measured_unknown(why_not);
    said->vram_used_bytes = measured_unknown(why_not);
    said->vram_free_bytes = measured_unknown(why_not);
    said->vram_reserved_bytes = measured_unknown(why_not);
}

static struct measured part_of(uint64_t bytes, uint64_t total)
{
    return bytes <= total ? measured_known((int64_t)bytes)
                          : measured_unknown(REASON_incredible_value);
}

static void from_parts(uint64_t total, uint64_t used, uint64_t free, struct adapter_reading *said)
{
    if (total == 0 || total > largest_bytes) {
        /* Some GPUs that share the system's memory answer success and nothing. */
        nvml_memory_unknown(total == 0 ? REASON_not_supported : REASON_incredible_value, said);
        return;
    }
    said->vram_total_bytes = measured_known((int64_t)total);
    said->vram_used_bytes = part_of(used, total);
    said->vram_free_bytes = part_of(free, total);
}

void nvml_memory_from_v2(const struct nvml_memory_v2 *memory, struct adapter_reading *said)
{
    from_parts(memory->total, memory->used, memory->free, said);
    if (said->vram_total_bytes.known)
        said->vram_reserved_bytes = part_of(memory->reserved, memory->total);
}

void nvml_memory_from_v1(const struct nvml_memory *memory, struct adapter_reading *said)
{
    from_parts(memory->total, memory->used, memory->free, said);
    if (said->vram_total_bytes.known)
        said->vram_reserved_bytes = measured_unknown(REASON_not_supported);
}

void nvml_read_memory(struct nvml_calls *calls, void *handle, struct adapter_reading *said)
{
    struct nvml_memory_v2 newer = {.version = NVML_STRUCT_VERSION(struct nvml_memory_v2, 2)};
    int status;
    NVML_CALL(status, calls, memory_v2, handle, &newer);
    if (status == NVML_OK) {
        nvml_memory_from_v2(&newer, said);
        return;
    }
    if (nvml_call_is_open(calls, NVML_FUNCTION_memory_v2)) {
        nvml_memory_unknown(nvml_reason(status), said);
        return;
    }
    struct nvml_memory older = {0};
    NVML_CALL(status, calls, memory, handle, &older);
    if (status == NVML_OK)
        nvml_memory_from_v1(&older, said);
    else
        nvml_memory_unknown(nvml_reason(status), said);
}

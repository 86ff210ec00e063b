#include "rules/nvidia_holders.h"

#include "base/text.h"

/* Of NVML, and with a device file of its own. */
static bool is_gpu(const struct adapter_reading *adapter)
{
    return adapter->lists_processes && adapter->kind != ADAPTER_MIG &&
           raw_equal_string(adapter->vendor, "nvidia");
}

bool nvidia_holders_matter(const struct adapter_reading *adapter)
{
    return is_gpu(adapter) && raw_equal_string(adapter->driver, "nvidia") &&
           adapter->power_state != POWER_LOST &&
           (adapter->compute_list_unknown || adapter->graphics_list_unknown);
}

enum reason nvidia_holders_why(const struct adapter_reading *adapter)
{
    return adapter->compute_list_unknown ? adapter->compute_list_why_not
                                         : adapter->graphics_list_why_not;
}

bool nvidia_holders_wanted(const struct reading *nvml, bool before)
{
    if (nvml->state == SOURCE_STARTING)
        return before;
    /* Off without a code: only other GPUs were selected. */
    if (nvml->state == SOURCE_OFF && !nvml->has_code)
        return false;
    for (size_t i = 0; i < nvml->adapter_count; i++)
        if (nvidia_holders_matter(&nvml->adapters[i]))
            return true;
    return false;
}

static bool has_number(const struct adapter_reading *adapter, uint64_t number)
{
    for (size_t i = 0; i < adapter->node_count; i++)
        if (adapter->device_numbers[i] == number)
            return true;
    return false;
}

/* Its /dev/nvidiaN is known. */
static bool is_numbered(const struct adapter_reading *adapter)
{
    for (size_t i = 0; i < adapter->node_count; i++)
        if (adapter->device_numbers[i] >> 32 == NVIDIA_DEVICE_FILES_MAJOR)
            return true;
    return false;
}

enum nvidia_place
nvidia_holders_place(const struct device_file *file,
                     const struct adapter_reading *(*adapter_at)(const void *context, size_t i),
                     const void *context, size_t count, size_t *found)
{
    bool is_drm = file->class == DEVICE_DRM_RENDER || file->class == DEVICE_DRM_PRIMARY;
    bool is_own = file->class == DEVICE_NVIDIA;
    size_t open = 0;
    for (size_t i = 0; (is_drm || is_own) && i < count; i++) {
        const struct adapter_reading *adapter = adapter_at(context, i);
        if (!is_gpu(adapter))
            continue;
        if (has_number(adapter, file->device_number)) {
            *found = i;
            return NVIDIA_PLACE_FOUND;
        }
        if (is_drm || is_numbered(adapter))
            continue;
        *found = i;
        open++;
    }
    return open == 0 ? NVIDIA_PLACE_NONE : open == 1 ? NVIDIA_PLACE_FOUND : NVIDIA_PLACE_UNKNOWN;
}

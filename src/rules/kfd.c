#include "rules/kfd.h"

#include <string.h>

static bool holds_device(const struct walked_process *walked)
{
    for (size_t i = 0; walked && i < walked->device_file_count; i++)
        if (walked->device_files[i].class == DEVICE_KFD)
            return true;
    return false;
}

bool kfd_is_user(const struct kfd_seen *seen, const struct walked_process *walked,
                 struct identity identity)
{
    if (identity.space != NAMESPACE_LOCAL)
        return false;
    for (size_t i = 0; i < seen->listed_count; i++)
        if (seen->listed[i].pid == identity.pid)
            return true;
    return holds_device(walked);
}

static bool is_zero(const struct kfd_process_reading *entry)
{
    return entry->vram_bytes.known && entry->vram_bytes.value == 0;
}

bool kfd_entry_is_empty(const struct kfd_seen *seen, const struct kfd_process_reading *entry)
{
    for (size_t i = 0; i < seen->listed_count && is_zero(entry); i++)
        if (seen->listed[i].pid == entry->pid && !is_zero(&seen->listed[i]))
            return true;
    return false;
}

struct measured kfd_vram_bytes(const struct kfd_seen *seen, int64_t pid, const char *adapter_id)
{
    for (size_t i = 0; i < seen->listed_count; i++)
        if (seen->listed[i].pid == pid &&
            strncmp(seen->listed[i].adapter_id, adapter_id, ADAPTER_ID_SIZE) == 0)
            return seen->listed[i].vram_bytes;
    return measured_unknown(REASON_not_reported);
}

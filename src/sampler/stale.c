#include "sampler/stale.h"

#include <string.h>

static struct raw_text copy_raw(struct arena *arena, struct raw_text raw)
{
    if (raw.bytes) {
        raw.bytes = arena_string(arena, raw.bytes, raw.length);
    }
    return raw;
}

static void copy_identity(struct arena *arena, const struct adapter_reading *from,
                          struct adapter_reading *to, enum reason reason)
{
    memcpy(to->id, from->id, sizeof to->id);
    memcpy(to->parent_id, from->parent_id, sizeof to->parent_id);
    to->source = from->source;
    to->driver_index = from->driver_index;
    to->name = copy_raw(arena, from->name);
    to->uuid = copy_raw(arena, from->uuid);
    to->vendor = copy_raw(arena, from->vendor);
    to->driver = copy_raw(arena, from->driver);
    to->driver_version = copy_raw(arena, from->driver_version);
    to->pci_vendor = from->pci_vendor;
    to->pci_device = from->pci_device;
    to->pci_subsystem_vendor = from->pci_subsystem_vendor;
    to->pci_subsystem_device = from->pci_subsystem_device;
    to->pci_revision = from->pci_revision;
    to->pci_revision_unknown = from->pci_revision_unknown;
    to->has_pci_ids = from->has_pci_ids;
    for (size_t i = 0; i < from->node_count; i++) {
        to->nodes[i] = copy_raw(arena, from->nodes[i]);
        to->device_numbers[i] = from->device_numbers[i];
    }
    to->node_count = from->node_count;
    to->kind = from->kind;
    to->kind_is_inferred = from->kind_is_inferred;
    to->power_state = from->power_state;
    to->unified = from->unified;
    to->unified_one_pool = from->unified_one_pool;
    to->video_is_unified = from->video_is_unified;
    to->figures_from = from->figures_from;
    to->lists_processes = from->lists_processes;
    to->figures_why_not = from->power_state == POWER_SUSPENDED ? REASON_device_suspended : reason;
    to->compute_list_unknown = to->graphics_list_unknown = true;
    to->compute_list_why_not = to->graphics_list_why_not = to->figures_why_not;
    to->process_load_why_not = to->figures_why_not;
}

void reading_copy_identities(struct reading *to, const struct reading *from, enum reason reason)
{
    struct adapter_reading *adapters =
        ARENA_ARRAY(to->arena, struct adapter_reading, from->adapter_count);
    for (size_t i = 0; i < from->adapter_count; i++) {
        copy_identity(to->arena, &from->adapters[i], &adapters[i], reason);
    }
    to->adapters = adapters;
    to->adapter_count = from->adapter_count;
}

bool reading_is_stale(int64_t running_ns, int64_t now_ns, int64_t interval_ns)
{
    const int64_t least_ns = 3000000000;
    int64_t limit_ns = interval_ns < least_ns / 3 ? least_ns : interval_ns * 3;
    return now_ns - running_ns > limit_ns;
}

#include "rules/vendor_telemetry.h"

#include <stdint.h>
#include <string.h>

static bool same_id(const struct adapter_reading *a, const struct adapter_reading *b)
{
    return strncmp(a->id, b->id, ADAPTER_ID_SIZE) == 0;
}

static bool same_ids(const struct adapter_reading *a, const struct adapter_reading *b)
{
    return a->has_pci_ids && b->has_pci_ids && a->pci_vendor == b->pci_vendor &&
           a->pci_device == b->pci_device;
}

static bool has_address(const struct adapter_reading *reading)
{
    return strncmp(reading->id, "pci:", 4) == 0;
}

/* How many of them have these ids. */
static size_t count_same(const struct adapter_reading *readings, size_t count,
                         const struct adapter_reading *like)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += !readings[i].parent_id[0] && same_ids(&readings[i], like);
    return same;
}

size_t vendor_telemetry_match(const struct adapter_reading *system, size_t system_count,
                              const struct adapter_reading *vendors, size_t vendor_count,
                              size_t vendor)
{
    const struct adapter_reading *of = &vendors[vendor];
    for (size_t i = 0; i < system_count; i++)
        if (same_id(&system[i], of))
            return i;
    if (of->parent_id[0] || count_same(vendors, vendor_count, of) != 1 ||
        count_same(system, system_count, of) != 1)
        return SIZE_MAX;
    for (size_t i = 0; i < system_count; i++)
        if (same_ids(&system[i], of) && !has_address(&system[i]))
            return i;
    return SIZE_MAX;
}

static void strip_memory(struct adapter_reading *left)
{
    const struct measured none = measured_unknown(REASON_not_reported);
    left->vram_total_bytes = left->vram_used_bytes = left->vram_free_bytes =
        left->vram_reserved_bytes = none;
    left->shared_total_bytes = left->shared_used_bytes = none;
}

void vendor_telemetry_strip(const struct adapter_reading *system,
                            const struct adapter_reading *vendor, struct adapter_reading *left)
{
    const bool counts_memory = system->vram_used_bytes.known;
    const bool counts_load = system->load_millipercent.how != HOW_UNAVAILABLE ||
                             system->load_millipercent.why_not == REASON_need_two_samples;
    *left = *vendor;
    memcpy(left->id, system->id, sizeof left->id);
    left->source = system->source;
    left->driver_index = system->driver_index;
    if (system->name.bytes && system->name.length > 0)
        left->name = (struct raw_text){NULL, 0};
    if (system->kind != ADAPTER_UNKNOWN)
        left->kind = ADAPTER_UNKNOWN;
    if (counts_memory)
        strip_memory(left);
    left->driver_load_millipercent = vendor->load_millipercent;
    if (left->driver_load_millipercent.how == HOW_MEASURED)
        left->driver_load_millipercent.how = HOW_REPORTED;
    left->load_millipercent = said_unknown(REASON_not_reported);
    for (int i = 0; i < ENGINE_COUNT; i++)
        left->engine_millipercent[i] = said_unknown(REASON_not_reported);
    /* A card that the system does not count (no display driver: TCC, MCDM) is the library's. */
    if (!counts_memory && !counts_load) {
        left->load_millipercent = vendor->load_millipercent;
        memcpy(left->engine_millipercent, vendor->engine_millipercent,
               sizeof left->engine_millipercent);
        left->driver_load_millipercent = said_unknown(REASON_not_reported);
    } else {
        left->lists_processes = false;
    }
}

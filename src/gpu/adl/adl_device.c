#include "gpu/adl/adl_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/adl/adl_sensors.h"
#include "gpu/helper/adapter_line.h"
#include "gpu/helper/hardware_id.h"

static const int64_t slow_ns = 5000000000;
static const int64_t largest_bytes = (int64_t)1 << 50;

static enum reason reason_of(int code)
{
    return code == ADL_NOT_SUPPORTED || code == ADL_NO_FUNCTION ? REASON_not_supported
                                                                : REASON_call_failed;
}

/* ADL speaks of one adapter of the card; which one answers differs from function to function. */
static int32_t first_index(const struct adl_device *device)
{
    return device->indexes[device->answering < device->index_count ? device->answering : 0];
}

static void read_kind(struct adl_device *device, const struct adl_library *library)
{
    int types = 0, valid = 0;
    if (!library->family ||
        library->family(library->context, first_index(device), &types, &valid) < ADL_OK)
        return;
    types &= valid;
    device->is_apu = (types & (ADL_FAMILY_FUSION | ADL_FAMILY_INTEGRATED)) != 0;
    if (types != 0)
        device->said.kind = device->is_apu ? ADAPTER_INTEGRATED : ADAPTER_DISCRETE;
}

static void set_ids(const struct adl_adapter_info *info, struct adapter_reading *said)
{
    struct hardware_id ids;
    said->has_pci_ids = (hardware_id_parse(info->pnp, sizeof info->pnp, &ids) ||
                         hardware_id_parse(info->udid, sizeof info->udid, &ids)) &&
                        ids.vendor == ADL_VENDOR;
    if (!said->has_pci_ids)
        return;
    said->pci_vendor = ids.vendor;
    said->pci_device = ids.device;
    said->pci_subsystem_vendor = ids.subsystem_vendor;
    said->pci_subsystem_device = ids.subsystem_device;
    said->pci_revision = ids.revision;
    said->pci_revision_unknown = !ids.has_revision;
}

/* The card's capacity: the first of its adapters that tells it. */
static void read_capacity(struct adl_device *device, const struct adl_library *library)
{
    int code = ADL_NO_FUNCTION;
    for (size_t i = 0; i < device->index_count && library->memory; i++) {
        struct adl_memory memory = {0};
        code = library->memory(library->context, device->indexes[i], &memory);
        if (code < ADL_OK || memory.bytes <= 0 || memory.bytes > largest_bytes)
            continue;
        device->vram_total_bytes = measured_known(memory.bytes);
        device->memory_index = device->indexes[i];
        return;
    }
    device->vram_total_bytes =
        measured_unknown(code < ADL_OK ? reason_of(code) : REASON_incredible_value);
}

void adl_device_start(struct adl_device *device, const struct adl_library *library,
                      const struct adl_card *card, int32_t index)
{
    struct adapter_reading *said = &device->said;
    memset(device, 0, sizeof *device);
    memcpy(device->indexes, card->indexes, sizeof device->indexes);
    device->index_count = card->index_count;
    device->memory_index = card->indexes[0];
    device->slow_at_ns = INT64_MIN;
    adapter_line_set_unknown(said, REASON_not_supported);
    said->figures_why_not = REASON_not_reported;
    said->driver_index = index;
    said->vendor = raw_from_string("amd");
    said->power_state = POWER_ACTIVE;
    snprintf(said->id, sizeof said->id, "pci:0000:%02x:%02x.%x", (unsigned)card->bus,
             (unsigned)card->device, (unsigned)card->function);
    memcpy(device->name, card->info->name, sizeof device->name - 1);
    if (device->name[0])
        said->name = raw_from_string(device->name);
    set_ids(card->info, said);
    read_kind(device, library);
    read_capacity(device, library);
}

/* The sensors of the first adapter that answers, beginning with the one that did last time; the
 * others of a card answer ADL_ERROR or ADL_NOT_SUPPORTED. */
static void read_sensors(struct adl_device *device, const struct adl_library *library)
{
    int first_code = ADL_ERROR;
    for (size_t i = 0; i < device->index_count; i++) {
        size_t at = (device->answering + i) % device->index_count;
        struct adl_log log = {.size = (int32_t)sizeof log};
        device->code = library->log(library->context, device->indexes[at], &log);
        if (device->code >= ADL_OK) {
            device->answering = at;
            adl_sensors_read(&log, device->is_apu, &device->said, &device->with_cpu);
            device->said.figures_why_not = REASON_not_reported;
            return;
        }
        if (i == 0)
            first_code = device->code;
    }
    device->code = first_code;
    device->with_cpu = false;
    adapter_line_set_unknown(&device->said, reason_of(first_code));
}

static void read_usage(struct adl_device *device, const struct adl_library *library)
{
    int mb = -1, code = ADL_NO_FUNCTION;
    if (library->vram_usage)
        code = library->vram_usage(library->context, device->memory_index, &mb);
    const struct measured *total = &device->vram_total_bytes;
    device->vram_used_bytes = adl_vram_used(code, mb, total->known ? total->value : 0);
}

static void say_notes(struct adl_device *device)
{
    int length = 0;
    device->note[0] = '\0';
    if (device->with_cpu)
        length = snprintf(device->note, sizeof device->note, "%s: its power includes the CPU's",
                          device->said.id);
    const struct measured *used = &device->vram_used_bytes;
    if (used->known && length >= 0)
        snprintf(device->note + length, sizeof device->note - (size_t)length,
                 "%s%s: the driver itself counts %" PRIi64 " MiB of its memory in use",
                 length > 0 ? "; " : "", device->said.id, used->value >> 20);
    else if (used->why_not == REASON_larger_than_adapter && length >= 0)
        snprintf(device->note + length, sizeof device->note - (size_t)length,
                 "%s%s: the driver's own count of memory is larger than the GPU's memory",
                 length > 0 ? "; " : "", device->said.id);
}

void adl_device_read(struct adl_device *device, const struct adl_library *library, int64_t now_ns,
                     bool everything)
{
    read_sensors(device, library);
    bool due = everything || device->slow_at_ns == INT64_MIN || now_ns < device->slow_at_ns ||
               now_ns - device->slow_at_ns >= slow_ns;
    if (due) {
        device->slow_at_ns = now_ns;
        read_usage(device, library);
    }
    say_notes(device);
}

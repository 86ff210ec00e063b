#include "rules/wddm_adapters.h"
#include "sampler/assemble_parts.h"

enum { PCI_NVIDIA = 0x10de, PCI_AMD = 0x1002 };

const struct wddm_sample *step_windows_sample(const struct step *step)
{
    return step->windows && step->windows->state == SOURCE_OK ? step->windows->wddm : NULL;
}

enum reason step_windows_why_not(const struct step *step)
{
    if (!step->windows)
        return REASON_no_interop;
    return step->windows->has_code ? step->windows->code : REASON_call_failed;
}

/* The host's adapters with what Windows counts as used there, linked ones added up. */
static size_t host_adapters(struct step *step, const struct wddm_sample *sample,
                            enum wddm_adapter_list which, struct wsl_host_adapter **adapters)
{
    const struct wddm_list *list = &sample->adapter[which];
    size_t count = 0;
    *adapters = ARENA_ARRAY(step->work, struct wsl_host_adapter, list->count);
    for (size_t i = 0; i < list->count; i++) {
        size_t at = 0;
        while (at < count && (*adapters)[at].luid != list->items[i].luid)
            at++;
        if (at < count) {
            struct total both = {0};
            total_add(&both, (*adapters)[at].used_bytes);
            total_add(&both, list->items[i].bytes);
            (*adapters)[at].used_bytes = total_value(&both);
            continue;
        }
        const struct wddm_adapter *about = wddm_adapter_find(sample, list->items[i].luid);
        (*adapters)[count++] = (struct wsl_host_adapter){
            .luid = list->items[i].luid,
            .used_bytes = list->items[i].bytes,
            .vendor_id = about ? about->vendor_id : 0,
        };
    }
    return count;
}

uint32_t step_vendor_of(const struct adapter_reading *reading)
{
    if (reading->has_pci_ids)
        return reading->pci_vendor;
    return raw_equal_string(reading->vendor, "nvidia") ? PCI_NVIDIA
           : raw_equal_string(reading->vendor, "amd")  ? PCI_AMD
                                                       : 0;
}

static void pair_adapters(struct step *step, const struct wddm_sample *sample)
{
    struct wsl_host_adapter *adapters;
    struct wsl_device *devices = ARENA_ARRAY(step->work, struct wsl_device, step->adapter_count);
    size_t count = host_adapters(step, sample, WDDM_ADAPTER_DEDICATED, &adapters), devices_seen = 0;
    uint64_t unused;
    for (size_t i = 0; i < step->adapter_count; i++) {
        const struct adapter_reading *reading = &step->adapters[i].reading;
        if (!reading->parent_id[0] && !wddm_adapter_luid(reading->id, &unused))
            devices[devices_seen++] =
                (struct wsl_device){reading->id, reading->vram_used_bytes, step_vendor_of(reading)};
    }
    wsl_adapters_step(&step->assembler->wsl.adapters, devices, devices_seen, adapters, count);
}

/* What Windows counts as used of system RAM by the paired adapter. */
static void set_shared(struct step *step, const struct wddm_sample *sample)
{
    struct wsl_host_adapter *adapters;
    size_t count = host_adapters(step, sample, WDDM_ADAPTER_SHARED, &adapters);
    for (size_t i = 0; i < step->adapter_count; i++) {
        struct adapter_reading *reading = &step->adapters[i].reading;
        uint64_t luid;
        if (!wsl_adapters_luid(&step->assembler->wsl.adapters, reading->id, &luid))
            continue;
        for (size_t k = 0; k < count; k++)
            if (adapters[k].luid == luid && !reading->shared_used_bytes.known)
                reading->shared_used_bytes = adapters[k].used_bytes;
        const struct wddm_adapter *about = wddm_adapter_find(sample, luid);
        if (about && !reading->shared_total_bytes.known)
            reading->shared_total_bytes = about->shared_limit_bytes;
    }
}

void assemble_wsl_pair(struct step *step)
{
    const struct wddm_sample *sample = step_windows_sample(step);
    if (!sample)
        return;
    if (step->windows->wddm_number != step->assembler->wsl.number)
        pair_adapters(step, sample);
    set_shared(step, sample);
}

bool step_luid_of(const struct step *step, const char *adapter_id, uint64_t *luid)
{
    return wsl_adapters_luid(&step->assembler->wsl.adapters, adapter_id, luid) ||
           (step->host_gpu_count > 0 && wddm_adapter_luid(adapter_id, luid));
}

struct text_list assemble_wsl_aliases(const struct step *step, const char *adapter_id)
{
    struct text_list aliases = {.known = true};
    char text[ADAPTER_ID_SIZE];
    uint64_t luid;
    if (!wsl_adapters_luid(&step->assembler->wsl.adapters, adapter_id, &luid))
        return aliases;
    wddm_adapter_id(luid, text);
    struct text *items = ARENA_ARRAY(step->snapshot->arena, struct text, 1);
    items[0] = text_from_raw(step->snapshot->arena, raw_from_string(text));
    aliases.items = items;
    aliases.count = 1;
    return aliases;
}

struct list_state assemble_wsl_processes(const struct step *step, const char *adapter_id)
{
    uint64_t luid;
    if (!step_windows_sample(step))
        return (struct list_state){.unknown = true, .why_not = step_windows_why_not(step)};
    if (!step_luid_of(step, adapter_id, &luid))
        return (struct list_state){.unknown = true, .why_not = REASON_adapter_unmatched};
    return (struct list_state){.unknown = false};
}

size_t step_device_of_luid(const struct step *step, uint64_t luid)
{
    for (size_t i = 0; i < step->adapter_count; i++) {
        uint64_t paired;
        if (step_luid_of(step, step->adapters[i].reading.id, &paired) && paired == luid)
            return i;
    }
    return SIZE_MAX;
}

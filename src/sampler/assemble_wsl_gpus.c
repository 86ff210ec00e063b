/* GPUs that only the Windows host knows: Intel's, AMD's without ROCm's library, NVIDIA's where NVML
 * cannot be used. Their figures are Windows' own. */
#include <stdio.h>
#include <string.h>

#include "gpu/helper/adapter_line.h"
#include "rules/wddm_adapters.h"
#include "sampler/assemble_parts.h"

enum { PCI_MICROSOFT = 0x1414 /* the software adapter */ };

/* Whose word comes first where it can be had: that source, once it answers, lists the GPU. */
static const struct {
    uint32_t vendor_id;
    const char *source;
} speakers[] = {{0x10de, "nvml"}, {0x1002, "rocdxg"}};

static bool has_given_up(const struct assemble_input *input, const char *source)
{
    for (size_t i = 0; i < input->reading_count; i++)
        if (strcmp(input->readings[i]->source, source) == 0)
            return input->readings[i]->state == SOURCE_ABSENT ||
                   input->readings[i]->state == SOURCE_FAILED;
    return true;
}

/* A device of this vendor is here. */
static bool is_spoken_for(const struct assemble_input *input, uint32_t vendor_id)
{
    for (size_t i = 0; i < input->reading_count; i++)
        for (size_t k = 0; k < input->readings[i]->adapter_count; k++)
            if (step_vendor_of(&input->readings[i]->adapters[k]) == vendor_id)
                return true;
    return false;
}

/* Or one may still come. */
static bool is_waited_for(const struct assemble_input *input, uint32_t vendor_id)
{
    for (size_t i = 0; i < sizeof speakers / sizeof *speakers; i++)
        if (speakers[i].vendor_id == vendor_id)
            return !has_given_up(input, speakers[i].source);
    return false;
}

static bool is_listed(const struct wsl_host_gpu *gpus, size_t count, uint64_t luid)
{
    for (size_t i = 0; i < count; i++)
        if (gpus[i].luid == luid)
            return true;
    return false;
}

/* Windows counts it now: what it has noted of an earlier start is not there. */
static bool is_counted(const struct wddm_sample *sample, uint64_t luid)
{
    const struct wddm_list *list = &sample->adapter[WDDM_ADAPTER_DEDICATED];
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].luid == luid)
            return true;
    return false;
}

static void choose(struct step *step, const struct wddm_sample *sample)
{
    struct wsl_state *state = &step->assembler->wsl;
    struct wsl_host_gpu chosen[WSL_DEVICES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < sample->adapter_count && count < WSL_DEVICES_MAX; i++) {
        const struct wddm_adapter *about = &sample->adapters[i];
        uint32_t vendor = about->vendor_id;
        if (vendor == 0 || vendor == PCI_MICROSOFT || !is_counted(sample, about->luid) ||
            is_listed(chosen, count, about->luid) || is_spoken_for(step->input, vendor) ||
            (is_waited_for(step->input, vendor) &&
             !is_listed(state->gpus, state->gpu_count, about->luid)))
            continue;
        chosen[count] = (struct wsl_host_gpu){.luid = about->luid, .vendor_id = vendor};
        if (about->name.bytes)
            snprintf(chosen[count].name, sizeof chosen[count].name, "%.*s", (int)about->name.length,
                     about->name.bytes);
        count++;
    }
    memcpy(state->gpus, chosen, count * sizeof *chosen);
    state->gpu_count = count;
}

/* While the host says nothing they stay, without figures. */
static void read_gpu(struct step *step, const struct wddm_sample *sample,
                     const struct wsl_host_gpu *gpu, struct adapter_reading *reading)
{
    const struct wddm_sample nothing = {.engines_read = false};
    const struct wddm_adapter named = {
        .luid = gpu->luid, .vendor_id = gpu->vendor_id, .name = raw_from_string(gpu->name)};
    if (sample) {
        wddm_adapter_read(step->work, sample, wddm_adapter_find(sample, gpu->luid), reading);
        return;
    }
    wddm_adapter_read(step->work, &nothing, &named, reading);
    adapter_line_set_unknown(reading, step_windows_why_not(step));
}

void assemble_wsl_begin(struct step *step)
{
    const struct assemble_input *input = step->input;
    struct wsl_state *state = &step->assembler->wsl;
    for (size_t i = 0; input->mode == SNAPSHOT_WSL && i < input->reading_count; i++)
        if (strcmp(input->readings[i]->source, "windows") == 0)
            step->windows = input->readings[i];
    const struct wddm_sample *sample = step_windows_sample(step);
    if (sample)
        choose(step, sample);
    struct adapter_reading *readings =
        ARENA_ARRAY(step->work, struct adapter_reading, state->gpu_count);
    for (size_t i = 0; i < state->gpu_count; i++) {
        if (is_spoken_for(input, state->gpus[i].vendor_id))
            continue;
        struct adapter_reading *reading = &readings[step->host_gpu_count++];
        read_gpu(step, sample, &state->gpus[i], reading);
        reading->source = "windows";
        reading->driver_index = (int32_t)i;
    }
    step->host_gpus = readings;
}

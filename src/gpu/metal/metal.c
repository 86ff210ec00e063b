/* The Metal backend: the GPUs of a Mac, live or recorded. */
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "gpu/backend.h"
#include "gpu/metal/metal_memory.h"
#include "gpu/metal/metal_source.h"
#include "gpu/metal/power.h"
#include "gpu/metal/processes.h"
#include "gpu/metal/statistics.h"
#include "os/macos/macos.h"

struct backend_state {
    struct metal_source source;
    bool opened;
    struct problem problem; /* why it is not */
    struct metal_memory *memory;
};

static bool metal_belongs(struct machine *machine)
{
    return strcmp(machine->system, "macos") == 0;
}

static struct backend_state *metal_open(struct machine *machine)
{
    struct backend_state *state = memory_new(sizeof *state);
    if (!metal_belongs(machine))
        return state;
    state->opened = machine->recorded ? metal_recorded_open(machine, &state->source)
                                      : metal_live_open(&state->source, &state->problem);
    if (state->opened)
        state->memory = metal_memory_new(&state->source);
    return state;
}

static void metal_close(struct backend_state **state)
{
    if (!*state)
        return;
    metal_memory_free(&(*state)->memory);
    if ((*state)->opened && (*state)->source.close)
        (*state)->source.close((*state)->source.context);
    free(*state);
    *state = NULL;
}

/* What has no registry entry, or one that was there before, is no adapter. */
static bool is_new(const struct metal_sample *sample, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (sample->accelerators[i].registry_id == sample->accelerators[at].registry_id)
            return false;
    return sample->accelerators[at].registry_id != 0;
}

static void set_adapters(struct reading *reading, const struct metal_sample *sample,
                         const struct metal_power *power)
{
    struct adapter_reading *adapters =
        ARENA_ARRAY(reading->arena, struct adapter_reading, sample->accelerator_count);
    size_t count = 0;
    for (size_t i = 0; i < sample->accelerator_count; i++) {
        if (!is_new(sample, i))
            continue;
        struct adapter_reading *adapter = &adapters[count];
        metal_adapter(reading->arena, sample, &sample->accelerators[i], adapter);
        adapter->driver_index = (int32_t)i;
        /* They are those of the one GPU of an Apple chip. */
        if (power && adapter->unified && adapter->power_state == POWER_ACTIVE && count == 0)
            metal_set_power(power, adapter);
        count++;
    }
    reading->adapters = adapters;
    reading->adapter_count = count;
}

static bool set_state(const struct backend_state *state, const struct metal_sample *sample,
                      struct reading *reading)
{
    if (!state->opened) {
        reading->state = SOURCE_ABSENT;
        reading->problem = state->problem;
        return false;
    }
    if (sample->status == METAL_OK) {
        reading->state = sample->accelerator_count > 0 ? SOURCE_OK : SOURCE_ABSENT;
        return true;
    }
    reading->state = sample->status == METAL_UNSUPPORTED ? SOURCE_ABSENT : SOURCE_FAILED;
    reading->has_code = true;
    reading->code = sample->status == METAL_DENIED ? REASON_not_permitted : REASON_call_failed;
    problem_set(&reading->problem, "%s",
                sample->status == METAL_DENIED ? "a sandbox denies the registry of devices"
                                               : "the registry of devices could not be read");
    return false;
}

static void metal_find(struct backend_state *state, struct machine *machine,
                       const struct pass *pass, struct reading *reading)
{
    struct metal_sample sample = {.status = METAL_UNSUPPORTED};
    (void)machine;
    if (state->opened)
        state->source.find(state->source.context, pass->number, reading->arena, &sample);
    if (set_state(state, &sample, reading))
        set_adapters(reading, &sample, NULL);
}

/* Some clients could not be listed, or none of a chip's statistics read: the rest is as it is. */
static bool is_partial(const struct metal_sample *sample)
{
    for (size_t i = 0; i < sample->accelerator_count; i++)
        if (sample->accelerators[i].clients_status != METAL_OK ||
            !sample->accelerators[i].statistics_read)
            return true;
    return false;
}

static void metal_read(struct backend_state *state, struct machine *machine,
                       const struct pass *pass, const struct system_reading *system,
                       struct reading *reading)
{
    struct metal_sample sample = {.status = METAL_UNSUPPORTED};
    struct metal_power power;
    (void)system;
    if (state->opened)
        state->source.read(state->source.context, pass->number, reading->arena, &sample);
    if (!set_state(state, &sample, reading))
        return;
    state->source.power(state->source.context, pass->number, reading->arena, &power);
    set_adapters(reading, &sample, &power);
    if (is_partial(&sample)) {
        reading->state = SOURCE_PARTIAL;
        problem_set(&reading->problem, "not everything of the GPU could be read");
    }
    const struct macos_process_list *list = macos_machine_processes(machine);
    struct metal_reading *metal = ARENA_NEW(reading->arena, struct metal_reading);
    struct metal_process_reading *processes = metal_processes(reading->arena, &sample, list, metal);
    metal_memory_read(state->memory, pass, machine->recorded, list, processes, metal);
    reading->metal = metal;
    if (reading->adapter_count > 0)
        reading->detail = raw_from_string(metal_memory_words(state->memory));
}

const struct backend backend_metal = {
    .name = "metal",
    .belongs = metal_belongs,
    .open = metal_open,
    .close = metal_close,
    .find = metal_find,
    .read = metal_read,
};

#include <string.h>

#include "sampler/assemble_parts.h"

/* Common reason of a whole reading that has no figures; not_reported when it has. */
static enum reason common_reason(const struct reading *reading)
{
    switch (reading->state) {
    case SOURCE_STARTING:
        return REASON_starting;
    case SOURCE_STALE:
        return REASON_stale;
    case SOURCE_FAILED:
        return reading->has_code ? reading->code : REASON_call_failed;
    default:
        return REASON_not_reported;
    }
}

void assemble_pair_adapters(struct step *step)
{
    const struct assemble_input *input = step->input;
    size_t count = step->host_gpu_count;
    for (size_t i = 0; i < input->reading_count; i++)
        count += input->readings[i]->adapter_count;
    const struct adapter_reading **all =
        ARENA_ARRAY(step->work, const struct adapter_reading *, count);
    size_t at = 0;
    for (size_t i = 0; i < input->reading_count; i++)
        for (size_t k = 0; k < input->readings[i]->adapter_count; k++)
            if (input->readings[i] != step->wddm)
                all[at++] = assemble_windows_vendor(step, input->readings[i], k);
    for (size_t i = 0; i < step->host_gpu_count; i++)
        all[at++] = &step->host_gpus[i];
    step->adapters =
        adapter_pairing_step(step->assembler->indexes, step->work, all, at, &step->adapter_count);

    /* Cards that only the kernel's files show, because their library has no answer now. */
    for (size_t i = 0; i < input->reading_count; i++) {
        enum reason why = common_reason(input->readings[i]);
        if (why == REASON_not_reported)
            continue;
        for (size_t k = 0; k < step->adapter_count; k++) {
            struct adapter_reading *reading = &step->adapters[k].reading;
            if (!reading->lists_processes && reading->figures_from &&
                strcmp(reading->figures_from, input->readings[i]->source) == 0 &&
                reading->figures_why_not == REASON_not_reported)
                reading->figures_why_not = why;
        }
    }
}

/* The adapter's common reason stands where its driver gave none of its own. */
static enum reason why_of(const struct adapter_reading *reading, enum reason why_not)
{
    return why_not == REASON_not_reported ? reading->figures_why_not : why_not;
}

static struct measured bytes_of(const struct adapter_reading *reading, struct measured value)
{
    if (!value.known)
        value.why_not = why_of(reading, value.why_not);
    return value;
}

static struct figure figure_of(const struct adapter_reading *reading, struct said said, double unit)
{
    struct figure figure = figure_from_said(said, unit);
    if (!figure_is_known(figure))
        figure.why_not = why_of(reading, figure.why_not);
    return figure;
}

static struct text text_of(struct step *step, struct raw_text raw)
{
    return raw.bytes && raw.length > 0 ? text_from_raw(step->snapshot->arena, raw) : TEXT_NONE;
}

static void set_identity(struct step *step, const struct paired_adapter *paired,
                         struct adapter *adapter)
{
    const struct adapter_reading *reading = &paired->reading;
    struct arena *arena = step->snapshot->arena;

    adapter->index = paired->index;
    adapter->id = text_from_raw(arena, raw_from_string(reading->id));
    adapter->aliases = step->wddm ? assemble_windows_aliases(step, reading->id)
                                  : assemble_wsl_aliases(step, reading->id);
    adapter->uuid = text_of(step, reading->uuid);
    adapter->parent = reading->parent_id[0]
                          ? text_from_raw(arena, raw_from_string(reading->parent_id))
                          : TEXT_NONE;
    adapter->name = text_of(step, reading->name);
    adapter->vendor = text_of(step, reading->vendor);
    adapter->driver = text_of(step, reading->driver);
    adapter->driver_version = text_of(step, reading->driver_version);
    adapter->kind = reading->kind;
    adapter->kind_how = reading->kind_is_inferred ? HOW_INFERRED : HOW_MEASURED;
    adapter->power_state = reading->power_state;
    adapter->has_pci_ids = reading->has_pci_ids;
    if (reading->has_pci_ids) {
        adapter->pci_vendor = text_format(arena, "%04x", reading->pci_vendor);
        adapter->pci_device = text_format(arena, "%04x", reading->pci_device);
        if (reading->pci_subsystem_vendor || reading->pci_subsystem_device)
            adapter->pci_subsystem = text_format(arena, "%04x%04x", reading->pci_subsystem_vendor,
                                                 reading->pci_subsystem_device);
        if (!reading->pci_revision_unknown)
            adapter->pci_revision = text_format(arena, "%02x", reading->pci_revision);
    }
    struct text *nodes = ARENA_ARRAY(arena, struct text, reading->node_count);
    for (size_t i = 0; i < reading->node_count; i++)
        nodes[i] = text_from_raw(arena, reading->nodes[i]);
    adapter->nodes =
        (struct text_list){.items = nodes, .count = reading->node_count, .known = true};
}

static void set_figures(const struct adapter_reading *reading, struct adapter *adapter)
{
    adapter->load_percent = figure_of(reading, reading->load_millipercent, 1000);
    adapter->driver_load_percent = figure_of(reading, reading->driver_load_millipercent, 1000);
    adapter->memory_activity_percent =
        figure_of(reading, reading->memory_activity_millipercent, 1000);
    for (int i = 0; i < ENGINE_COUNT; i++)
        adapter->engines_percent[i] = figure_of(reading, reading->engine_millipercent[i], 1000);
    adapter->pcie = (struct pcie){
        .rx_bytes_per_second = figure_of(reading, reading->pcie_rx_bytes_per_second, 1),
        .tx_bytes_per_second = figure_of(reading, reading->pcie_tx_bytes_per_second, 1),
        .generation = figure_of(reading, reading->pcie_generation, 1),
        .width = figure_of(reading, reading->pcie_width, 1),
        .max_generation = figure_of(reading, reading->pcie_max_generation, 1),
        .max_width = figure_of(reading, reading->pcie_max_width, 1),
    };
    const struct said *temperatures = reading->temperature_millicelsius;
    adapter->temperatures_celsius = (struct temperatures){
        .edge = figure_of(reading, temperatures[TEMPERATURE_EDGE], 1000),
        .hotspot = figure_of(reading, temperatures[TEMPERATURE_HOTSPOT], 1000),
        .memory = figure_of(reading, temperatures[TEMPERATURE_MEMORY], 1000),
    };
    adapter->power_watts = figure_of(reading, reading->power_microwatts, 1e6);
    adapter->power_limit_watts = figure_of(reading, reading->power_limit_microwatts, 1e6);
    adapter->energy_joules = figure_of(reading, reading->energy_microjoules, 1e6);
    adapter->fan_percent = figure_of(reading, reading->fan_millipercent, 1000);
    adapter->fan_rpm = figure_of(reading, reading->fan_rpm, 1);
    adapter->performance_state = figure_of(reading, reading->performance_state, 1);
    adapter->errors = (struct adapter_errors){
        .ecc_corrected = figure_of(reading, reading->ecc_corrected, 1),
        .ecc_uncorrected = figure_of(reading, reading->ecc_uncorrected, 1),
        .xid_last = figure_of(reading, reading->xid_last, 1),
        .xid_count = figure_of(reading, reading->xid_count, 1),
        .restarts = figure_of(reading, reading->restarts, 1),
    };
}

static struct clocks clocks_of(const struct adapter_reading *reading, const struct said *hz)
{
    return (struct clocks){
        .graphics = figure_of(reading, hz[CLOCK_GRAPHICS], 1e6),
        .memory = figure_of(reading, hz[CLOCK_MEMORY], 1e6),
        .sm = figure_of(reading, hz[CLOCK_SM], 1e6),
        .video = figure_of(reading, hz[CLOCK_VIDEO], 1e6),
    };
}

static void set_throttle(struct step *step, const struct adapter_reading *reading,
                         struct adapter *adapter)
{
    adapter->throttle_how = reading->throttle_how;
    adapter->throttle_why_not = why_of(reading, reading->throttle_why_not);
    adapter->throttle_reasons.known = reading->throttle_how != HOW_UNAVAILABLE;
    if (!adapter->throttle_reasons.known)
        return;
    struct arena *arena = step->snapshot->arena;
    struct text *reasons = ARENA_ARRAY(arena, struct text, reading->throttle_count);
    for (size_t i = 0; i < reading->throttle_count; i++)
        reasons[i] = text_from_raw(arena, reading->throttle_reasons[i]);
    adapter->throttle_reasons.items = reasons;
    adapter->throttle_reasons.count = reading->throttle_count;
}

/* Which process lists of this adapter are unknown, rather than empty. */
static void set_lists(struct step *step, const struct paired_adapter *paired,
                      struct adapter *adapter)
{
    const struct adapter_reading *reading = &paired->reading;
    if (step->input->mode == SNAPSHOT_WSL) {
        adapter->processes_state = assemble_wsl_processes(step, reading->id);
        return;
    }
    if (assemble_windows_counts(step, reading->id)) {
        adapter->processes_state = assemble_windows_processes(step);
        return;
    }
    if (step->input->mode == SNAPSHOT_MACOS) {
        adapter->processes_state = assemble_metal_processes(step, reading->id);
        return;
    }
    if (paired->reading.lists_processes) {
        adapter->compute_list_state = (struct list_state){.unknown = reading->compute_list_unknown,
                                                          .why_not = reading->compute_list_why_not};
        adapter->graphics_list_state = (struct list_state){
            .unknown = reading->graphics_list_unknown, .why_not = reading->graphics_list_why_not};
        if (reading->compute_list_unknown && reading->graphics_list_unknown)
            adapter->processes_state = adapter->compute_list_state;
        return;
    }
    const struct system_reading *system = step->input->system;
    if (!system)
        adapter->processes_state =
            (struct list_state){.unknown = true, .why_not = step_system_why_not(step)};
    else if (!system->walk.ran)
        adapter->processes_state =
            (struct list_state){.unknown = true, .why_not = why_of(reading, REASON_not_reported)};
}

/* Bytes of the processes of this adapter and of its instances. */
static void gather(const struct step *step, size_t at, struct total *vram, struct total *shared)
{
    const char *id = step->adapters[at].reading.id;
    for (size_t i = 0; i < step->adapter_count; i++) {
        if (i != at && strncmp(step->adapters[i].reading.parent_id, id, ADAPTER_ID_SIZE) != 0)
            continue;
        total_add(vram, total_value(&step->totals[i].vram));
        total_add(shared, total_value(&step->totals[i].shared));
    }
}

static void note_exceeds(struct step *step, const struct adapter *adapter, const char *what)
{
    step_note(
        step, TEXT("attributed_exceeds_device"),
        text_format(step->snapshot->arena,
                    "%s: its processes hold more %s than the device counts as used: the two were "
                    "read at two moments",
                    adapter->id.utf8, what));
}

static void note_incomplete(struct step *step, const struct adapter *adapter)
{
    step_note(
        step, TEXT("attributed_incomplete"),
        text_format(step->snapshot->arena,
                    "%s: a process list could not be read: the sum of its processes is incomplete",
                    adapter->id.utf8));
}

static void set_totals(struct step *step, size_t at, struct adapter *adapter)
{
    const struct paired_adapter *paired = &step->adapters[at];
    struct adapter_memory *memory = &adapter->memory;
    struct total vram = {0}, shared = {0};
    bool exceeds;

    gather(step, at, &vram, &shared);
    memory->attributed_bytes = adapter->processes_state.unknown
                                   ? measured_unknown(adapter->processes_state.why_not)
                                   : total_value(&vram);
    memory->unattributed_bytes =
        total_unattributed(memory->vram_used_bytes, memory->attributed_bytes, &exceeds);
    if (paired->reading.used_counts_differently)
        memory->unattributed_bytes = measured_unknown(REASON_counts_differ);
    else if (exceeds)
        note_exceeds(step, adapter, "memory");
    if (adapter->compute_list_state.unknown != adapter->graphics_list_state.unknown)
        note_incomplete(step, adapter);

    bool counts_shared = step->input->mode == SNAPSHOT_WSL || !paired->reading.lists_processes;
    if (!counts_shared || paired->reading.unified_one_pool) {
        enum reason why =
            paired->reading.unified_one_pool ? REASON_unified_memory : REASON_not_reported;
        memory->shared_attributed_bytes = memory->shared_unattributed_bytes = measured_unknown(why);
        return;
    }
    memory->shared_attributed_bytes = adapter->processes_state.unknown
                                          ? measured_unknown(adapter->processes_state.why_not)
                                          : total_value(&shared);
    memory->shared_unattributed_bytes =
        total_unattributed(memory->shared_used_bytes, memory->shared_attributed_bytes, &exceeds);
    if (exceeds)
        note_exceeds(step, adapter, "shared memory");
}

static void set_memory(const struct adapter_reading *reading, struct adapter_memory *memory)
{
    *memory = (struct adapter_memory){
        .vram_total_bytes = bytes_of(reading, reading->vram_total_bytes),
        .vram_used_bytes = bytes_of(reading, reading->vram_used_bytes),
        .vram_free_bytes = bytes_of(reading, reading->vram_free_bytes),
        .vram_reserved_bytes = bytes_of(reading, reading->vram_reserved_bytes),
        .shared_total_bytes = bytes_of(reading, reading->shared_total_bytes),
        .shared_used_bytes = bytes_of(reading, reading->shared_used_bytes),
        .vram_limit_bytes = reading->vram_limit_bytes,
        .unified = reading->unified || reading->kind == ADAPTER_INTEGRATED,
    };
}

void assemble_adapters(struct step *step)
{
    struct snapshot *snapshot = step->snapshot;
    snapshot->adapters = ARENA_ARRAY(snapshot->arena, struct adapter, step->adapter_count);
    snapshot->adapter_count = step->adapter_count;
    for (size_t i = 0; i < step->adapter_count; i++) {
        const struct paired_adapter *paired = &step->adapters[i];
        struct adapter *adapter = &snapshot->adapters[i];
        set_identity(step, paired, adapter);
        set_memory(&paired->reading, &adapter->memory);
        set_figures(&paired->reading, adapter);
        adapter->clocks_mhz = clocks_of(&paired->reading, paired->reading.clock_hz);
        adapter->max_clocks_mhz = clocks_of(&paired->reading, paired->reading.max_clock_hz);
        set_throttle(step, &paired->reading, adapter);
        set_lists(step, paired, adapter);
        set_totals(step, i, adapter);
    }
}

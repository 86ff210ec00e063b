/* macOS: what processes hold of the GPUs, from their Metal clients (rules/metal_rates.h). */
#include <string.h>

#include "sampler/assemble_parts.h"

void assemble_metal_begin(struct step *step)
{
    const struct assemble_input *input = step->input;
    for (size_t i = 0; i < input->reading_count; i++)
        if (input->readings[i]->metal)
            step->metal = input->readings[i]->metal;
    if (step->metal)
        metal_rates_step(step->assembler->metal_rates, step->work, step->metal, &step->metal_rows);
}

/* What is known of a process before its details were looked up: never less than the client says. */
static const struct process_reading *details_of(struct step *step,
                                                const struct metal_process_reading *process)
{
    struct process_reading *details = ARENA_NEW(step->work, struct process_reading);
    uint64_t stamp = process->identity.start_stamp;
    details->identity = process->identity;
    details->name = process->name.bytes ? process->name : process->creator_name;
    /* The stamp is its start in microseconds since 1970. */
    if (stamp != IDENTITY_NO_STAMP && stamp < INT64_MAX / 1000)
        details->start_wall_ns = (int64_t)stamp * 1000;
    details->cpu_time_ns = details->ram_bytes = measured_unknown(REASON_not_permitted);
    return details;
}

void assemble_metal_subjects(struct step *step)
{
    for (size_t i = 0; i < step->metal_rows.count; i++) {
        const struct metal_row *row = &step->metal_rows.items[i];
        const struct metal_process_reading *process = &step->metal->processes[row->process];
        size_t adapter =
            step_find_adapter(step, step->metal->accelerators[row->accelerator].adapter_id);
        assembler_want_pid(step->assembler, process->identity.pid);
        if (adapter == SIZE_MAX || row->left_out)
            continue;
        struct subject *subject = step_subject(step, process->identity);
        if (!subject->process)
            subject->process = details_of(step, process);
        step_add_use(step, subject, adapter)->metal = row;
    }
}

/* A process's graphics memory is one figure: with clients of several accelerators nobody says what
 * lies where. */
static struct measured bytes_on(const struct step *step, const struct metal_row *row,
                                const struct adapter_reading *adapter)
{
    struct measured bytes = step->metal->processes[row->process].memory_bytes;
    for (size_t i = 0; i < step->metal_rows.count; i++)
        if (step->metal_rows.items[i].process == row->process &&
            step->metal_rows.items[i].accelerator != row->accelerator)
            return measured_unknown(REASON_not_reported);
    bool larger = bytes.known && adapter->vram_total_bytes.known &&
                  bytes.value > adapter->vram_total_bytes.value;
    return larger ? measured_unknown(REASON_larger_than_adapter) : bytes;
}

static struct text source_of(enum metal_memory_source source)
{
    return source == METAL_MEMORY_LEDGER      ? TEXT("ledger")
           : source == METAL_MEMORY_FOOTPRINT ? TEXT("footprint")
                                              : TEXT_NONE;
}

struct gpu_use assemble_metal_use(struct step *step, const struct use_seen *seen)
{
    const struct paired_adapter *paired = &step->adapters[seen->adapter];
    const struct metal_process_reading *process = &step->metal->processes[seen->metal->process];
    struct measured bytes = bytes_on(step, seen->metal, &paired->reading);
    struct measured none =
        measured_unknown(paired->reading.unified ? REASON_unified_memory : REASON_not_reported);
    struct gpu_use use = {
        .adapter = measured_known(paired->index),
        .adapter_id = text_from_raw(step->snapshot->arena, raw_from_string(paired->reading.id)),
        .vram_bytes = bytes,
        .shared_bytes = none,
        .spill_bytes = none,
        .vram_resident_bytes = measured_unknown(REASON_not_reported),
        .gtt_resident_bytes = none,
        .memory_source = bytes.known ? source_of(process->memory_source) : TEXT_NONE,
        .vram_compressed_bytes = process->compressed_bytes,
        .load_percent = seen->metal->load.known
                            ? figure_known(seen->metal->load.percent, HOW_MEASURED)
                            : figure_unknown(seen->metal->load.why_not),
        .load_lower_bound = seen->metal->load_is_lower_bound,
    };
    for (int i = 0; i < ENGINE_COUNT; i++)
        use.engines_percent[i] = figure_unknown(REASON_not_reported);
    if (!bytes.known)
        reason_set_add(&use.vram_unattributed_reasons, bytes.why_not);
    total_add(&step->totals[seen->adapter].vram, bytes);
    return use;
}

struct list_state assemble_metal_processes(const struct step *step, const char *adapter_id)
{
    for (size_t i = 0; step->metal && i < step->metal->accelerator_count; i++)
        if (strcmp(step->metal->accelerators[i].adapter_id, adapter_id) == 0)
            return (struct list_state){.unknown = !step->metal->accelerators[i].listing_complete,
                                       .why_not = REASON_call_failed};
    return (struct list_state){.unknown = true, .why_not = REASON_starting};
}

static struct text advice_of(struct step *step, int64_t unreadable)
{
    bool one = unreadable == 1;
    if (unreadable <= 0)
        return TEXT_NONE;
    if (step->metal->ledger_denied)
        return text_format(step->snapshot->arena,
                           "the graphics memory of %lld process%s could not be read: a sandbox "
                           "denies it; run this program outside of it (sudo does not help)",
                           (long long)unreadable, one ? "" : "es");
    return text_format(step->snapshot->arena,
                       "the graphics memory of %lld process%s of other users could not be read: "
                       "run with sudo to see it",
                       (long long)unreadable, one ? "" : "es");
}

void assemble_metal_status(struct step *step)
{
    struct process_status *status = &step->snapshot->process_status;
    const struct system_reading *system = step->input->system;
    bool listed = system && system->everyone_read;
    enum reason why = system ? REASON_not_permitted : step_system_why_not(step);
    status->scanned =
        listed ? measured_known((int64_t)system->everyone_count) : measured_unknown(why);
    status->looked_at = status->scanned;
    status->skipped = listed ? measured_known(0) : measured_unknown(why);
    status->complete = listed;
    status->oldest_look_seconds = listed ? figure_known(0, HOW_MEASURED) : figure_unknown(why);
    status->unreadable = step->metal ? step->metal->unreadable : measured_unknown(REASON_starting);
    if (step->metal && status->unreadable.known)
        status->advice = advice_of(step, status->unreadable.value);
    if (step->metal && step->metal->nameless_clients > 0)
        step_note(step, TEXT("nameless_clients"),
                  text_format(step->snapshot->arena,
                              "%zu client%s of the GPU name%s no process: what they do belongs to "
                              "nobody here",
                              step->metal->nameless_clients,
                              step->metal->nameless_clients == 1 ? "" : "s",
                              step->metal->nameless_clients == 1 ? "s" : ""));
}

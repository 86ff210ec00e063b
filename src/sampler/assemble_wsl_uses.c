#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sampler/assemble_parts.h"

static const struct wddm_process *process_of(const struct wddm_sample *sample, int64_t pid)
{
    for (size_t i = 0; i < sample->process_count; i++)
        if (sample->processes[i].pid == pid)
            return &sample->processes[i];
    return NULL;
}

/* What is known of a Windows process: nothing of it is looked up here. */
static const struct process_reading *
details_of(struct step *step, const struct wddm_process *process, struct identity identity)
{
    struct process_reading *details = ARENA_NEW(step->work, struct process_reading);
    details->identity = identity;
    if (process)
        details->name = process->name;
    if (process && process->has_started)
        details->start_wall_ns = process->started_us * 1000;
    return details;
}

/* The bounds of phantoms: what the paired device has, else what Windows says the adapter has. */
static size_t limits_of(struct step *step, const struct wddm_sample *sample,
                        struct wddm_limits **limits)
{
    size_t count = 0;
    *limits =
        ARENA_ARRAY(step->work, struct wddm_limits, sample->adapter_count + step->adapter_count);
    for (size_t i = 0; i < step->adapter_count; i++) {
        const struct adapter_reading *reading = &step->adapters[i].reading;
        uint64_t luid;
        if (wsl_adapters_luid(&step->assembler->wsl.adapters, reading->id, &luid))
            (*limits)[count++] = (struct wddm_limits){.luid = luid,
                                                      .dedicated_bytes = reading->vram_total_bytes,
                                                      .shared_bytes = reading->shared_total_bytes};
    }
    for (size_t i = 0; i < sample->adapter_count; i++)
        (*limits)[count++] = assemble_wddm_limits(&sample->adapters[i]);
    return count;
}

void assemble_wsl_windows(struct step *step, const struct wddm_sample *sample)
{
    struct wddm_limits *limits;
    struct wddm_rows rows;
    size_t limit_count = limits_of(step, sample, &limits);
    wddm_rows(step->work, sample, limits, limit_count, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        struct wsl_use *use = ARENA_NEW(step->work, struct wsl_use);
        *use = (struct wsl_use){
            .windows = &rows.items[i], .luid = rows.items[i].luid, .has_luid = true};
        struct identity identity = step_windows_identity(sample, rows.items[i].pid);
        struct subject *subject = step_subject(step, identity);
        if (!subject->process)
            subject->process = details_of(step, process_of(sample, rows.items[i].pid), identity);
        step_add_use(step, subject, step_device_of_luid(step, use->luid))->wsl = use;
        assemble_wddm_note(step, &rows.items[i], "W:");
    }
}

struct text assemble_wsl_label(const struct step *step, const struct subject *subject,
                               struct text label)
{
    if (step->input->mode != SNAPSHOT_WSL || subject->identity.space != NAMESPACE_WINDOWS ||
        !subject->process)
        return label;
    const struct wddm_process process = {.name = subject->process->name};
    if (!wddm_is_named(&process, "vmwp"))
        return label;
    return identity_equal(subject->identity, step->assembler->wsl.machine) ? TEXT("WSL VM")
                                                                           : TEXT("VM worker");
}

/* A process here: its bytes are those of a context of the virtual machine, which holds them. */
static void set_matched(const struct wsl_use *seen, struct gpu_use *use)
{
    enum reason why = seen->mark == PAIR_NONE ? seen->why_not : REASON_not_reported;
    use->vram_bytes = measured_unknown(why);
    if (seen->mark == PAIR_NONE) {
        reason_set_add(&use->vram_unattributed_reasons, why);
        return;
    }
    use->vram_inferred_bytes = figure_known((double)seen->bytes, HOW_INFERRED);
    use->inferred_by = seen->mark == PAIR_MATCHED ? INFERRED_MATCHED : INFERRED_GUESS;
}

struct gpu_use assemble_wsl_use(struct step *step, const struct subject *subject,
                                const struct use_seen *seen)
{
    struct arena *arena = step->snapshot->arena;
    const struct wsl_use *of_host = seen->wsl;
    struct gpu_use use = {.adapter = measured_unknown(REASON_adapter_unmatched),
                          .kfd_vram_bytes = measured_unknown(REASON_not_reported)};
    if (seen->adapter != SIZE_MAX) {
        const struct paired_adapter *paired = &step->adapters[seen->adapter];
        use.adapter = measured_known(paired->index);
        use.adapter_id = text_from_raw(arena, raw_from_string(paired->reading.id));
        if (!of_host->windows)
            use.type = assemble_wddm_type(step, subject->identity.pid, paired->reading.id);
    } else if (of_host->has_luid) {
        use.adapter_id = text_format(arena, "luid:0x%08" PRIx32 "_0x%08" PRIx32,
                                     (uint32_t)(of_host->luid >> 32), (uint32_t)of_host->luid);
    } else {
        use.adapter = measured_unknown(of_host->why_not);
    }
    if (of_host->windows)
        assemble_wddm_set(of_host->windows, &use);
    else
        set_matched(of_host, &use);
    if (seen->adapter != SIZE_MAX && step->adapters[seen->adapter].reading.unified)
        use.spill_bytes = measured_unknown(REASON_unified_memory);
    if (seen->adapter != SIZE_MAX && of_host->windows) {
        total_add(&step->totals[seen->adapter].vram, use.vram_bytes);
        total_add(&step->totals[seen->adapter].shared, use.shared_bytes);
    }
    return use;
}

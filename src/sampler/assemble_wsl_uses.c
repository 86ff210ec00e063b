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

/* All that the adapter may use: of one that shares the system's memory Windows counts what is there
 * as its own, and which those are is not said. */
static struct measured most_of(const struct wddm_adapter *adapter)
{
    const struct measured own = adapter->dedicated_bytes, system = adapter->shared_limit_bytes;
    struct total both = {0};
    total_add(&both, own);
    total_add(&both, system);
    return own.known && system.known && (own.value | system.value) != 0
               ? total_value(&both)
               : measured_unknown(REASON_not_reported);
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
            (*limits)[count++] =
                (struct wddm_limits){luid, reading->vram_total_bytes, reading->shared_total_bytes};
    }
    for (size_t i = 0; i < sample->adapter_count; i++)
        (*limits)[count++] =
            (struct wddm_limits){sample->adapters[i].luid, most_of(&sample->adapters[i]),
                                 sample->adapters[i].shared_limit_bytes};
    return count;
}

static void note_phantom(struct step *step, const struct wddm_row *row)
{
    if (row->local_bytes.known || row->local_bytes.why_not != REASON_larger_than_adapter)
        return;
    step_note(step, TEXT("phantom_value"),
              text_format(step->snapshot->arena,
                          "W:%lld: Windows counts more memory for it than the GPU has: left out",
                          (long long)row->pid));
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
        note_phantom(step, &rows.items[i]);
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

static void set_windows(const struct wddm_row *row, struct gpu_use *use)
{
    use->vram_bytes = row->local_bytes;
    if (!row->local_bytes.known)
        reason_set_add(&use->vram_unattributed_reasons, row->local_bytes.why_not);
    use->shared_bytes = use->spill_bytes = row->non_local_bytes;
    use->committed_bytes = row->committed_bytes;
    use->paged_estimated_bytes = row->paged_bytes.known
                                     ? figure_known((double)row->paged_bytes.value, HOW_ESTIMATED)
                                     : figure_unknown(row->paged_bytes.why_not);
    use->load_percent = figure_from_measured(row->load_millipercent, 1000);
    for (int i = 0; i < ENGINE_COUNT; i++)
        use->engines_percent[i] = figure_from_measured(row->engine_millipercent[i], 1000);
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

static enum gpu_use_type type_of(const struct step *step, int64_t pid, const char *adapter_id)
{
    for (size_t i = 0; i < step->rows.count; i++) {
        const struct nvml_row *row = &step->rows.items[i];
        if (row->pid == pid && strcmp(row->adapter_id, adapter_id) == 0)
            return row->compute && row->graphics ? GPU_USE_BOTH
                   : row->compute                ? GPU_USE_COMPUTE
                   : row->graphics               ? GPU_USE_GRAPHICS
                                                 : GPU_USE_UNKNOWN;
    }
    return GPU_USE_UNKNOWN;
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
            use.type = type_of(step, subject->identity.pid, paired->reading.id);
    } else if (of_host->has_luid) {
        use.adapter_id = text_format(arena, "luid:0x%08" PRIx32 "_0x%08" PRIx32,
                                     (uint32_t)(of_host->luid >> 32), (uint32_t)of_host->luid);
    } else {
        use.adapter = measured_unknown(of_host->why_not);
    }
    if (of_host->windows)
        set_windows(of_host->windows, &use);
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

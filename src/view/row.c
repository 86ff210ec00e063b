#include "view/rows.h"

/* The parts of one figure over several adapters. */
struct fold {
    double measured, inferred; /* the sum; the largest */
    size_t measured_count, inferred_count, unknown_count, blank_count;
    enum how how; /* of `inferred` */
    enum inferred_by by;
    enum reason why_not, blank_why;
};

static void fold_measured(struct fold *fold, double value)
{
    fold->measured += value;
    fold->measured_count++;
}

static void fold_inferred(struct fold *fold, double value, enum how how, enum inferred_by by)
{
    if (fold->inferred_count++ == 0 || value > fold->inferred) {
        fold->inferred = value;
        fold->how = how;
        fold->by = by;
    }
}

static void fold_unknown(struct fold *fold, enum reason why_not, bool blank)
{
    if (blank && fold->blank_count++ == 0)
        fold->blank_why = why_not;
    else if (!blank && fold->unknown_count++ == 0)
        fold->why_not = why_not;
}

/* A lower bound of 0 says nothing: that is unknown. */
static struct amount fold_result(const struct fold *fold)
{
    bool more = fold->unknown_count > 0;
    if (fold->inferred_count > 0 && fold->inferred >= fold->measured)
        return (struct amount){.value = fold->inferred,
                               .how = fold->how,
                               .by = fold->by,
                               .at_least = more || fold->measured > 0 ||
                                           (fold->inferred_count > 1 && fold->inferred > 0)};
    if (fold->measured_count > 0 && (fold->measured > 0 || !more))
        return (struct amount){.value = fold->measured,
                               .how = HOW_MEASURED,
                               .at_least = more || fold->inferred_count > 0};
    if (more)
        return (struct amount){.why_not = fold->why_not};
    return (struct amount){.blank = true, .why_not = fold->blank_why};
}

/* Reasons that mean "there is no such counter here": nobody waits for a number. */
static bool reason_is_calm(enum reason reason)
{
    return reason == REASON_not_reported || reason == REASON_not_supported ||
           reason == REASON_unified_memory || reason == REASON_unified_ring;
}

static void fold_bytes(struct fold *fold, struct measured measured, struct figure inferred,
                       enum inferred_by by, bool calm)
{
    if (measured.known)
        fold_measured(fold, (double)measured.value);
    else if (figure_is_known(inferred))
        fold_inferred(fold, inferred.value, inferred.how, by);
    else
        fold_unknown(fold, measured.why_not, calm && reason_is_calm(measured.why_not));
}

/* The busiest of several, instead of their sum. Windows counts an engine only for those that have
 * used it. */
static void fold_busiest(struct fold *fold, struct figure figure, enum inferred_by by, bool calm)
{
    if (!figure_is_known(figure))
        fold_unknown(fold, figure.why_not,
                     calm &&
                         (reason_is_calm(figure.why_not) || figure.why_not == REASON_no_instance));
    else if (figure.how == HOW_INFERRED || by != INFERRED_NOT)
        fold_inferred(fold, figure.value, HOW_INFERRED, by);
    else if (fold->measured_count++ == 0 || figure.value > fold->measured)
        fold->measured = figure.value;
}

static struct amount busiest_result(const struct fold *fold)
{
    struct amount amount = fold_result(fold);
    amount.at_least = fold->unknown_count > 0 && amount_is_known(&amount);
    return amount;
}

static enum reason first_reason(const struct gpu_use *use)
{
    for (int reason = 0; reason < REASON_COUNT; reason++)
        if (reason_set_has(use->vram_unattributed_reasons, (enum reason)reason))
            return (enum reason)reason;
    return use->vram_bytes.why_not;
}

struct folds {
    struct fold vram, shared, spill, paged, load, engines[ENGINE_COUNT];
    bool load_at_least;
};

static void fold_use(struct folds *folds, const struct snapshot *snapshot,
                     const struct process *process, const struct gpu_use *use)
{
    const struct adapter *adapter = snapshot_adapter_of(snapshot, use);
    bool unified = adapter != NULL && adapter->memory.unified;
    struct measured vram = use->vram_bytes;
    if (!vram.known)
        vram.why_not = first_reason(use);
    fold_bytes(&folds->vram, vram, use->vram_inferred_bytes, use->inferred_by, false);
    if (unified) {
        fold_bytes(&folds->shared, use->shared_bytes, use->shared_inferred_bytes, use->inferred_by,
                   true);
        fold_unknown(&folds->spill, REASON_unified_memory, true);
    } else {
        fold_unknown(&folds->shared, REASON_not_supported, true);
        fold_bytes(&folds->spill, use->spill_bytes, figure_unknown(REASON_not_reported),
                   INFERRED_NOT, true);
    }
    bool pages = snapshot->mode == SNAPSHOT_WINDOWS || process->space == NAMESPACE_WINDOWS;
    if (figure_is_known(use->paged_estimated_bytes))
        fold_inferred(&folds->paged, use->paged_estimated_bytes.value,
                      use->paged_estimated_bytes.how, INFERRED_NOT);
    else
        fold_unknown(&folds->paged, use->paged_estimated_bytes.why_not, !pages);
    fold_busiest(&folds->load, use->load_percent, use->load_inferred_by, false);
    folds->load_at_least |= use->load_lower_bound;
    /* Metal has one GPU time and no engine split: n/a there, not blank. */
    bool calm = snapshot->mode != SNAPSHOT_MACOS;
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        fold_busiest(&folds->engines[engine], use->engines_percent[engine], use->load_inferred_by,
                     calm);
}

bool rows_choose_adapter(const struct rows_options *options, const struct snapshot *snapshot,
                         struct text adapter_id)
{
    if (options->adapter_count == 0)
        return true;
    const struct adapter *adapter = snapshot_adapter(snapshot, adapter_id);
    for (size_t i = 0; i < options->adapter_count; i++)
        if (text_equal(options->adapters[i], adapter_id) ||
            (adapter != NULL && !text_is_none(adapter->parent) &&
             text_equal(options->adapters[i], adapter->parent)))
            return true;
    return false;
}

static double use_size(const struct gpu_use *use)
{
    if (use->vram_bytes.known)
        return (double)use->vram_bytes.value;
    return use->vram_inferred_bytes.value;
}

static double model_size(const struct model *model)
{
    double size = 0;
    for (size_t i = 0; i < model->device_count; i++) {
        const struct model_device *device = &model->devices[i];
        if (!text_is_none(device->adapter_id))
            size += device->weights_bytes.value + device->kv_cache_bytes.value +
                    device->compute_bytes.value + device->other_bytes.value;
    }
    return size;
}

/* Memory that can't be told apart is not known to be none, unless the driver says that nothing is
 * reachable either. */
static bool may_hold_memory(const struct gpu_use *use)
{
    if (use->vram_bytes.known || figure_is_known(use->vram_inferred_bytes))
        return false;
    return !use->vram_resident_bytes.known || use->vram_resident_bytes.value != 0 ||
           !use->gtt_resident_bytes.known || use->gtt_resident_bytes.value != 0;
}

static const struct model *main_model(const struct process *process)
{
    const struct model *main = NULL;
    for (size_t i = 0; i < process->model_count; i++)
        if (main == NULL || model_size(&process->models[i]) > model_size(main))
            main = &process->models[i];
    return main;
}

static struct amount amount_of_bytes(struct measured measured, bool blank)
{
    if (measured.known)
        return (struct amount){.value = (double)measured.value, .how = HOW_MEASURED};
    return (struct amount){.why_not = measured.why_not, .blank = blank};
}

/* What belongs to the process itself, on no adapter. A host's process seen from a container has no
 * such figures: calm. */
static void fold_process(struct row *row, const struct snapshot *snapshot)
{
    const struct process *process = row->process;
    bool outside = process->space == NAMESPACE_HOST;
    row->ram = amount_of_bytes(process->ram_bytes, outside);
    row->cpu = (struct amount){.why_not = process->cpu_percent.why_not, .blank = outside};
    if (figure_is_known(process->cpu_percent))
        row->cpu =
            (struct amount){.value = process->cpu_percent.value, .how = process->cpu_percent.how};
    row->running = (struct amount){.blank = true};
    if (process->start_time_ns != TIME_UNKNOWN && snapshot->taken_at_ns >= process->start_time_ns)
        row->running =
            (struct amount){.value = (double)(snapshot->taken_at_ns - process->start_time_ns) / 1e9,
                            .how = HOW_MEASURED};
    row->main_model = main_model(process);
}

void row_fold(struct row *row, const struct snapshot *snapshot, const struct process *process,
              const struct rows_options *options)
{
    struct folds folds = {.load_at_least = false};
    *row = (struct row){.process = process, .mode = snapshot->mode};
    for (size_t i = 0; i < process->gpu_count; i++) {
        const struct gpu_use *use = &process->gpus[i];
        if (!rows_choose_adapter(options, snapshot, use->adapter_id))
            continue;
        row->use_count++;
        fold_use(&folds, snapshot, process, use);
        row->may_hold_memory |= may_hold_memory(use);
        row->vram_reasons.bits |= use->vram_unattributed_reasons.bits;
        if (row->main_use == NULL || use_size(use) > use_size(row->main_use) ||
            (use_size(use) == use_size(row->main_use) &&
             use->load_percent.value > row->main_use->load_percent.value))
            row->main_use = use;
    }
    row->vram = fold_result(&folds.vram);
    row->shared = fold_result(&folds.shared);
    row->spill = fold_result(&folds.spill);
    row->paged = fold_result(&folds.paged);
    row->load = busiest_result(&folds.load);
    row->load.at_least |= folds.load_at_least && amount_is_known(&row->load);
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        row->engines[engine] = busiest_result(&folds.engines[engine]);
    row->memory = row->vram;
    if (amount_is_known(&row->shared)) {
        row->memory.value += row->shared.value;
        if (!amount_is_known(&row->memory))
            row->memory.how = row->shared.how;
    }
    fold_process(row, snapshot);
}

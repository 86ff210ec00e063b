#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "timeline/summary_parts.h"

/* Loads of all processes on each adapter together, by place in the snapshot. */
struct loads {
    double sums[SUMMARY_ADAPTERS_MAX];
    double joules[SUMMARY_ADAPTERS_MAX]; /* negative: unknown */
};

static struct process_key key_of(const struct summary_process *process)
{
    return (struct process_key){.identity = process->identity, .boot = process->boot};
}

/* The place of the process that is missed least: not in this sample or the one before, and of the
 * smallest peak. -1: all are still there. */
static ptrdiff_t find_least(const struct summary *summary)
{
    ptrdiff_t least = -1;
    double least_bytes = INFINITY;
    for (size_t i = 0; i < summary->process_count; i++) {
        const struct summary_process *process = &summary->processes[i];
        double bytes = summary_process_peak_bytes(process);
        if (process->last_sample + 1 < summary->samples && !process->tracked &&
            bytes < least_bytes) {
            least = (ptrdiff_t)i;
            least_bytes = bytes;
        }
    }
    return least;
}

static void leave_out(struct summary *summary, double peak_bytes)
{
    struct measured *peak = &summary->left_out_peak_bytes;
    if (peak_bytes > 0 && (!peak->known || (double)peak->value < peak_bytes)) {
        *peak = measured_known((int64_t)peak_bytes);
    }
}

static double measured_peak(const struct summary_process *process)
{
    double peak = 0;
    for (size_t i = 0; i < process->use_count; i++) {
        peak = fmax(peak, process->uses[i].vram_bytes.peak);
    }
    return peak;
}

/* Room for one more; NULL: there is none. */
static struct summary_process *make_room(struct summary *summary)
{
    if (summary->process_count < SUMMARY_PROCESSES_MAX) {
        summary->processes = vector_reserve(summary->processes, &summary->process_capacity,
                                            summary->process_count + 1, sizeof *summary->processes);
        return &summary->processes[summary->process_count++];
    }
    ptrdiff_t least = find_least(summary);
    if (least < 0) {
        return NULL;
    }
    struct summary_process *process = &summary->processes[least];
    struct process_key key = key_of(process);
    map_remove(summary->state->processes, &key);
    leave_out(summary, measured_peak(process));
    summary->processes_left_out++;
    summary_process_free(process);
    return process;
}

static struct summary_process *find_or_add(struct summary *summary, const struct process *process)
{
    const struct process_key key = {.identity = process->identity, .boot = summary->state->boot};
    const size_t *place = map_get(summary->state->processes, &key);
    if (place) {
        return &summary->processes[*place];
    }
    struct summary_process *added = make_room(summary);
    if (!added) {
        return NULL;
    }
    memset(added, 0, sizeof *added);
    added->identity = process->identity;
    added->boot = summary->state->boot;
    added->first_ns = summary->state->now_ns;
    summary_copy_text(added->id, sizeof added->id, process->id);
    size_t *index = map_put(summary->state->processes, &key, NULL);
    *index = (size_t)(added - summary->processes);
    return added;
}

static struct summary_use *find_use(struct summary_process *process, struct text adapter_id)
{
    char wanted[SUMMARY_NAME_SIZE];
    summary_copy_text(wanted, sizeof wanted, adapter_id);
    for (size_t i = 0; i < process->use_count; i++) {
        if (strcmp(process->uses[i].adapter_id, wanted) == 0) {
            return &process->uses[i];
        }
    }
    if (process->use_count == SUMMARY_USES_MAX) {
        return NULL;
    }
    process->uses = vector_reserve(process->uses, &process->use_capacity, process->use_count + 1,
                                   sizeof *process->uses);
    struct summary_use *use = &process->uses[process->use_count++];
    memset(use, 0, sizeof *use);
    memcpy(use->adapter_id, wanted, sizeof wanted);
    return use;
}

static ptrdiff_t adapter_place(const struct snapshot *snapshot, struct text id)
{
    for (size_t i = 0; i < snapshot->adapter_count && i < SUMMARY_ADAPTERS_MAX; i++) {
        if (text_equal(snapshot->adapters[i].id, id)) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}

/* A process that had half of the device's time had half of its energy; while others wait, what
 * several queues say may add up to more than the device has. */
static void add_energy(const struct summary *summary, struct summary_use *kept,
                       const struct gpu_use *use, const struct snapshot *snapshot,
                       const struct loads *loads)
{
    ptrdiff_t place = adapter_place(snapshot, use->adapter_id);
    if (place < 0 || !figure_is_known(use->load_percent) || loads->joules[place] < 0) {
        return;
    }
    double whole = fmax(100, loads->sums[place]);
    kept->energy_estimated_joules += loads->joules[place] * use->load_percent.value / whole;
    kept->energy_estimated_seconds += summary->state->seconds;
}

static void add_use(const struct summary *summary, struct summary_use *kept,
                    const struct gpu_use *use)
{
    double seconds = summary->state->seconds;
    int64_t now_ns = summary->state->now_ns;
    if (use->vram_bytes.known) {
        statistic_add(&kept->vram_bytes, (double)use->vram_bytes.value, seconds, now_ns,
                      HOW_MEASURED);
    }
    if (use->spill_bytes.known) {
        statistic_add(&kept->spill_bytes, (double)use->spill_bytes.value, seconds, now_ns,
                      HOW_MEASURED);
    }
    if (figure_is_known(use->vram_inferred_bytes)) {
        statistic_add(&kept->vram_inferred_bytes, use->vram_inferred_bytes.value, seconds, now_ns,
                      HOW_INFERRED);
        kept->vram_guessed |= use->inferred_by == INFERRED_GUESS;
    }
    if (figure_is_known(use->load_percent)) {
        bool inferred = use->load_inferred_by != INFERRED_NOT;
        statistic_add(inferred ? &kept->load_inferred_percent : &kept->load_percent,
                      use->load_percent.value, seconds, now_ns,
                      inferred ? HOW_INFERRED : use->load_percent.how);
        kept->load_guessed |= use->load_inferred_by == INFERRED_GUESS;
        kept->load_lower_bound |= use->load_lower_bound;
    }
}

static void add_model(struct summary *summary, struct summary_process *process,
                      const struct model *model)
{
    char name[SUMMARY_NAME_SIZE];
    summary_copy_text(name, sizeof name, model->name);
    size_t i = 0;
    while (i < process->model_count &&
           (strcmp(process->models[i].name, name) != 0 || process->models[i].kind != model->kind)) {
        i++;
    }
    if (i == SUMMARY_MODELS_MAX) {
        process->models_left_out = true;
        return;
    }
    if (i == process->model_count) {
        process->models = vector_reserve(process->models, &process->model_capacity,
                                         process->model_count + 1, sizeof *process->models);
        process->models[process->model_count++] = (struct summary_model){.kind = model->kind};
        memcpy(process->models[i].name, name, sizeof name);
    }
    if (model->quantization.size > 0) {
        summary_copy_text(process->models[i].quantization, sizeof process->models[i].quantization,
                          model->quantization);
    }
    process->models[i].seconds += summary->state->seconds;
}

static void add_process(struct summary *summary, struct summary_process *kept,
                        const struct process *process, const struct snapshot *snapshot,
                        const struct loads *loads)
{
    if (kept->last_sample != summary->samples) {
        kept->seconds += summary->state->seconds;
    }
    kept->last_sample = summary->samples;
    kept->last_ns = summary->state->now_ns;
    kept->tracked |= process->tracked;
    if (process->class != CLASS_OTHER) {
        kept->class = process->class;
    }
    summary_copy_text(kept->label, sizeof kept->label, process->label);
    if (process->name.size > 0) {
        summary_copy_text(kept->name, sizeof kept->name, process->name);
    }
    if (process->user.size > 0) {
        summary_copy_text(kept->user, sizeof kept->user, process->user);
    }
    for (size_t i = 0; i < process->gpu_count; i++) {
        struct summary_use *use = find_use(kept, process->gpus[i].adapter_id);
        if (use) {
            add_use(summary, use, &process->gpus[i]);
            add_energy(summary, use, &process->gpus[i], snapshot, loads);
        }
    }
    for (size_t i = 0; i < process->model_count; i++) {
        add_model(summary, kept, &process->models[i]);
    }
}

static void sum_loads(const struct summary *summary, const struct snapshot *snapshot,
                      struct loads *loads)
{
    memset(loads, 0, sizeof *loads);
    for (size_t i = 0; i < snapshot->adapter_count && i < SUMMARY_ADAPTERS_MAX; i++) {
        loads->joules[i] = summary_sample_joules(summary, &snapshot->adapters[i]);
    }
    for (size_t i = 0; i < snapshot->process_count; i++) {
        for (size_t j = 0; j < snapshot->processes[i].gpu_count; j++) {
            const struct gpu_use *use = &snapshot->processes[i].gpus[j];
            ptrdiff_t place = adapter_place(snapshot, use->adapter_id);
            if (place >= 0 && figure_is_known(use->load_percent)) {
                loads->sums[place] += use->load_percent.value;
            }
        }
    }
}

void summary_add_processes(struct summary *summary, const struct snapshot *snapshot)
{
    struct loads loads;
    uint64_t without_room = 0;
    sum_loads(summary, snapshot, &loads);
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process *process = &snapshot->processes[i];
        struct summary_process *kept = find_or_add(summary, process);
        if (kept) {
            add_process(summary, kept, process, snapshot, &loads);
            continue;
        }
        without_room++;
        for (size_t j = 0; j < process->gpu_count; j++) {
            leave_out(summary, (double)process->gpus[j].vram_bytes.value);
        }
    }
    /* Who they are is not remembered: at least as many as in the fullest sample. */
    if (without_room > summary->processes_left_out) {
        summary->processes_left_out = without_room;
    }
}

#include <stdlib.h>
#include <string.h>

#include "inspect/classify.h"
#include "inspect/gathered.h"
#include "sampler/assemble_parts.h"

static struct text text_of(struct step *step, struct raw_text raw)
{
    return raw.bytes ? text_from_raw(step->snapshot->arena, raw) : TEXT_NONE;
}

/* Why nothing is known of a process that a driver names: /proc does not show it (hidden, another
 * user's, ended), or it was not looked up yet. */
static enum reason why_unknown(const struct step *step, struct identity identity)
{
    const struct system_reading *system = step->input->system;
    if (identity.space == NAMESPACE_HOST)
        return REASON_outside_container;
    if (!system)
        return step_system_why_not(step);
    for (size_t i = 0; i < system->missing_pid_count; i++)
        if (system->missing_pids[i] == identity.pid)
            return REASON_not_permitted;
    return identity.start_stamp == IDENTITY_NO_STAMP ? REASON_starting : REASON_not_permitted;
}

static void set_details(struct step *step, const struct subject *subject, struct process *process)
{
    const struct process_reading *seen = subject->process;
    process->start_time_ns = TIME_UNKNOWN;
    if (!seen) {
        enum reason why = why_unknown(step, subject->identity);
        process->parent_pid = measured_unknown(why);
        process->cpu_percent = figure_unknown(why);
        process->ram_bytes = measured_unknown(why);
        return;
    }
    if (seen->start_wall_ns > 0)
        process->start_time_ns = seen->start_wall_ns - seen->start_wall_ns % 1000;
    process->parent_pid = seen->parent_pid > 0 ? measured_known(seen->parent_pid)
                                               : measured_unknown(REASON_not_reported);
    process->name = text_of(step, seen->name);
    process->user = text_of(step, seen->user);
    struct rate cpu = cpu_rates_process(step->assembler->cpu_rates, seen);
    process->cpu_percent =
        cpu.known ? figure_known(cpu.percent, HOW_MEASURED) : figure_unknown(cpu.why_not);
    process->ram_bytes = seen->ram_bytes;
    assemble_container(step, seen, &process->container);
}

static bool is_above_zero(struct figure figure)
{
    return figure_is_known(figure) && figure.value > 0;
}

static void see_use(struct classify_seen *seen, const struct gpu_use *use)
{
    if (use->type == GPU_USE_BOTH ||
        (use->type == GPU_USE_COMPUTE && seen->use == GPU_USE_GRAPHICS) ||
        (use->type == GPU_USE_GRAPHICS && seen->use == GPU_USE_COMPUTE))
        seen->use = GPU_USE_BOTH;
    else if (use->type != GPU_USE_UNKNOWN)
        seen->use = use->type;
    seen->has_compute_load |= is_above_zero(use->engines_percent[ENGINE_compute]);
    seen->has_graphics_load |= is_above_zero(use->engines_percent[ENGINE_gfx]);
    seen->has_video_load |= is_above_zero(use->engines_percent[ENGINE_decode]) ||
                            is_above_zero(use->engines_percent[ENGINE_encode]) ||
                            is_above_zero(use->engines_percent[ENGINE_video]);
    if (is_above_zero(use->engines_percent[ENGINE_gfx]) &&
        use->engines_percent[ENGINE_gfx].value > seen->graphics_percent)
        seen->graphics_percent = use->engines_percent[ENGINE_gfx].value;
    if (is_above_zero(use->load_percent) && use->load_percent.value > seen->load_percent)
        seen->load_percent = use->load_percent.value;
}

static void classify_subject(struct step *step, const struct subject *subject,
                             struct classify_memory *memory, struct process *process)
{
    struct classify_seen seen = {
        .process = subject->process,
        .holds_kfd = subject->kfd_user,
        .memory = memory,
        .is_windows = step->input->mode == SNAPSHOT_WINDOWS,
        .is_metal = step->metal != NULL,
    };
    const struct walked_process *walked = subject->walked;
    for (size_t i = 0; walked && i < walked->device_file_count; i++) {
        enum device_class class = walked->device_files[i].class;
        seen.holds_nvidia |= class == DEVICE_NVIDIA;
        seen.holds_drm_primary |= class == DEVICE_DRM_PRIMARY;
        seen.holds_drm_render |= class == DEVICE_DRM_RENDER;
    }
    for (size_t i = 0; i < process->gpu_count; i++)
        see_use(&seen, &process->gpus[i]);
    const struct gathered *gathered = step_gathered(step, subject->identity);
    if (gathered) {
        seen.runtimes = gathered->runtimes;
        seen.runtime_count = gathered->runtime_count;
        seen.training_file = gathered->training_file;
        seen.has_rank = gathered->has_rank;
    }
    classify(step->snapshot->arena, &seen, process);
}

static void set_process(struct step *step, const struct subject *subject, struct process *process)
{
    struct arena *arena = step->snapshot->arena;

    process->identity = subject->identity;
    struct classify_memory *memory =
        process_words_of(step->assembler->words, arena, subject->identity, subject->process,
                         &process->id, &process->label, &process->command);
    process->label = assemble_wsl_label(step, subject, process->label);
    process->pid = subject->identity.pid;
    process->space = (enum pid_namespace)subject->identity.space;
    set_details(step, subject, process);
    process->gpus = ARENA_ARRAY(arena, struct gpu_use, subject->uses.count);
    process->gpu_count = subject->uses.count;
    for (size_t i = 0; i < subject->uses.count; i++)
        process->gpus[i] = assemble_use(step, subject, &subject->uses.items[i]);
    classify_subject(step, subject, memory, process);
}

/* A matched or guessed size sorts as a measured one does (SPEC section 4). */
static double sort_bytes(const struct process *process)
{
    double sum = 0;
    for (size_t i = 0; i < process->gpu_count; i++) {
        const struct gpu_use *use = &process->gpus[i];
        if (use->vram_bytes.known)
            sum += (double)use->vram_bytes.value;
        else if (figure_is_known(use->vram_inferred_bytes))
            sum += use->vram_inferred_bytes.value;
    }
    return sum;
}

/* Where a process stands in the list. */
struct place {
    double bytes;
    int64_t pid;
    int space;
    size_t subject;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    if (left->pid != right->pid)
        return left->pid < right->pid ? -1 : 1;
    return (left->space > right->space) - (left->space < right->space);
}

static struct text advice_of(struct step *step, int64_t unreadable)
{
    if (unreadable <= 0)
        return TEXT_NONE;
    return text_format(step->snapshot->arena,
                       "%lld process%s could not be read: run with sudo to see what %s on the GPUs",
                       (long long)unreadable, unreadable == 1 ? "" : "es",
                       unreadable == 1 ? "it holds" : "they hold");
}

/* On Windows: those whose modules may not be looked at. */
static void set_windows_status(struct step *step, const struct system_reading *system)
{
    struct process_status *status = &step->snapshot->process_status;
    /* Windows' own counters name everybody who uses a GPU. */
    if (system->everyone_read) {
        status->scanned = measured_known((int64_t)system->everyone_count);
        status->complete = true;
    }
    if (!system->unreadable.known)
        return;
    status->unreadable = system->unreadable;
    int64_t refused = system->unreadable.value - system->protected_count;
    if (refused > 0)
        status->advice = text_format(
            step->snapshot->arena,
            "%lld process%s could not be looked into: run as administrator to see what %s",
            (long long)refused, refused == 1 ? "" : "es", refused == 1 ? "it holds" : "they hold");
    else if (system->protected_count > 0)
        status->advice = text_format(
            step->snapshot->arena, "%lld process%s could not be looked into: Windows protects %s",
            (long long)system->protected_count, system->protected_count == 1 ? "" : "es",
            system->protected_count == 1 ? "it" : "them");
}

static void set_status(struct step *step)
{
    const struct system_reading *system = step->input->system;
    struct process_status *status = &step->snapshot->process_status;
    enum reason why = system ? REASON_not_reported : step_system_why_not(step);

    size_t clients = 0;
    for (size_t i = 0; i < step->subjects.count; i++)
        clients += step->subjects.items[i].uses.count > 0;
    status->gpu_clients = measured_known((int64_t)clients);
    if (step->input->mode == SNAPSHOT_MACOS) {
        assemble_metal_status(step);
        return;
    }
    if (!system || !system->walk.ran) {
        status->scanned = status->unreadable = measured_unknown(why);
        if (system && step->input->mode == SNAPSHOT_WINDOWS)
            set_windows_status(step, system);
        status->looked_at = status->skipped = measured_unknown(why);
        status->oldest_look_seconds = figure_unknown(why);
        return;
    }
    const struct walk_reading *walk = &system->walk;
    status->scanned = measured_known(walk->scanned);
    status->unreadable = measured_known(walk->unreadable);
    status->looked_at = measured_known(walk->looked_at);
    status->skipped = measured_known(walk->skipped);
    status->complete = walk->complete;
    int64_t age_ns = step->input->pass->running_ns - walk->oldest_look_ns;
    bool relies_on_old = walk->oldest_look_ns != INT64_MAX && age_ns > 0;
    status->oldest_look_seconds =
        figure_known(relies_on_old ? (double)age_ns / 1e9 : 0, HOW_MEASURED);
    status->advice = advice_of(step, walk->unreadable);
    if (walk->hidden.known && walk->hidden.value != 0)
        step_note(step, TEXT("processes_hidden"),
                  TEXT("/proc hides the processes of other users (hidepid): what they hold is not "
                       "counted, not even as unreadable"));
    if (!walk->complete)
        step_note(step, TEXT("partial_scan"),
                  TEXT("not every process could be looked at in this refresh: no client of a DRM "
                       "driver is proven private"));
}

void assemble_processes(struct step *step)
{
    struct snapshot *snapshot = step->snapshot;
    cpu_rates_begin(step->assembler->cpu_rates);
    process_words_begin(step->assembler->words);
    size_t count = step->subjects.count;
    struct process *processes = ARENA_ARRAY(step->work, struct process, count);
    struct place *places = ARENA_ARRAY(step->work, struct place, count);
    for (size_t i = 0; i < count; i++) {
        set_process(step, &step->subjects.items[i], &processes[i]);
        places[i] =
            (struct place){sort_bytes(&processes[i]), processes[i].pid, (int)processes[i].space, i};
    }
    if (count > 1)
        qsort(places, count, sizeof *places, compare_places);
    snapshot->processes = ARENA_ARRAY(snapshot->arena, struct process, count);
    snapshot->process_count = count;
    for (size_t i = 0; i < count; i++)
        snapshot->processes[i] = processes[places[i].subject];
    set_status(step);
}

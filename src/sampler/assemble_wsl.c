#include <string.h>

#include "sampler/assemble_parts.h"

/* Without the host's word: the only device there is. */
static size_t only_device(const struct step *step)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < step->adapter_count; i++) {
        if (step->adapters[i].reading.parent_id[0])
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

static bool holds_dxg(const struct walked_process *process)
{
    for (size_t i = 0; i < process->device_file_count; i++)
        if (process->device_files[i].class == DEVICE_DXG)
            return true;
    return false;
}

/* ROCm's library makes a context that is not empty: the helper that has loaded it is a process as
 * any other. */
static bool is_rocm_helper(const struct process_reading *process)
{
    static const char words[] = "--helper\0rocdxg";
    const size_t length = sizeof words - 1;
    const struct raw_text command = process->command;
    for (size_t i = 0; command.bytes && i + length <= command.length; i++)
        if (memcmp(command.bytes + i, words, length) == 0)
            return true;
    return false;
}

/* This program, or a helper that it started; what it holds is the empty context of NVML. */
static bool is_own(const struct step *step, struct identity identity)
{
    const struct system_reading *system = step->input->system;
    int64_t self_pid = step->input->self_pid;
    if (self_pid == 0 || identity.pid == self_pid)
        return self_pid != 0;
    for (size_t i = 0; i < system->process_count; i++)
        if (identity_equal(system->processes[i].identity, identity))
            return system->processes[i].parent_pid == self_pid &&
                   !is_rocm_helper(&system->processes[i]);
    return false;
}

static size_t find_holders(struct step *step, struct wsl_holder **holders)
{
    const struct system_reading *system = step->input->system;
    size_t count = 0;
    *holders = ARENA_ARRAY(step->work, struct wsl_holder, system->walk.process_count);
    for (size_t i = 0; i < system->walk.process_count; i++)
        if (holds_dxg(&system->walk.processes[i]))
            (*holders)[count++] =
                (struct wsl_holder){system->walk.processes[i].identity,
                                    is_own(step, system->walk.processes[i].identity)};
    return count;
}

/* The instances of one virtual machine, one list an adapter, in the order they came. A size that is
 * more than the adapter has is none. */
static size_t find_contexts(struct step *step, const struct wddm_sample *sample, int64_t pid,
                            struct wsl_context_list **lists)
{
    const struct wddm_list *all = &sample->process[WDDM_LOCAL];
    struct measured *sizes = ARENA_ARRAY(step->work, struct measured, all->count);
    size_t count = 0, at = 0;
    *lists = ARENA_ARRAY(step->work, struct wsl_context_list, all->count);
    for (size_t first = 0; first < all->count; first++) {
        uint64_t luid = all->items[first].luid;
        bool known = all->items[first].pid != pid;
        for (size_t i = 0; i < count && !known; i++)
            known = (*lists)[i].luid == luid;
        if (known)
            continue;
        struct wsl_context_list *list = &(*lists)[count++];
        *list = (struct wsl_context_list){.luid = luid, .sizes = &sizes[at]};
        size_t device = step_device_of_luid(step, luid);
        for (size_t i = first; i < all->count; i++)
            if (all->items[i].pid == pid && all->items[i].luid == luid) {
                struct measured bytes = all->items[i].bytes;
                if (device != SIZE_MAX && bytes.known) {
                    struct measured total = step->adapters[device].reading.vram_total_bytes;
                    if (total.known && bytes.value > total.value)
                        bytes = measured_unknown(REASON_larger_than_adapter);
                }
                sizes[at++] = bytes;
                list->count++;
            }
    }
    return count;
}

static struct identity identity_of(const struct wddm_sample *sample, int64_t pid)
{
    for (size_t i = 0; i < sample->process_count; i++)
        if (sample->processes[i].pid == pid && sample->processes[i].has_started)
            return identity_make(NAMESPACE_WINDOWS, pid, (uint64_t)sample->processes[i].started_us);
    return identity_make(NAMESPACE_WINDOWS, pid, IDENTITY_NO_STAMP);
}

static bool has_empty_context(const struct wddm_sample *sample, int64_t pid)
{
    const struct wddm_list *list = &sample->process[WDDM_LOCAL];
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].pid == pid && list->items[i].bytes.known &&
            list->items[i].bytes.value == 0)
            return true;
    return false;
}

/* Which vmwp.exe is WSL's: the only one, or, beside other virtual machines, the only one that holds
 * a context of 0 bytes, which is that of our own connection; once known it stays. */
static struct identity find_machine(const struct step *step, const struct wddm_sample *sample,
                                    bool we_hold_one)
{
    const struct identity none = {.pid = 0};
    struct identity found = none, empty = none;
    size_t count = 0, empty_count = 0;
    for (size_t i = 0; i < sample->process_count; i++) {
        if (!wddm_is_named(&sample->processes[i], "vmwp"))
            continue;
        found = identity_of(sample, sample->processes[i].pid);
        count++;
        if (identity_equal(found, step->assembler->wsl.machine))
            return found;
        if (has_empty_context(sample, found.pid)) {
            empty = found;
            empty_count++;
        }
    }
    if (count <= 1)
        return found;
    return empty_count == 1 && we_hold_one ? empty : none;
}

static void match(struct step *step, const struct wddm_sample *sample,
                  const struct wsl_holder *holders, size_t holder_count,
                  const struct wsl_match **matches)
{
    struct wsl_state *state = &step->assembler->wsl;
    bool we_hold_one = false;
    for (size_t i = 0; i < holder_count; i++)
        we_hold_one |= holders[i].own;
    struct identity machine = find_machine(step, sample, we_hold_one);
    if (!identity_equal(machine, state->machine))
        wsl_matching_forget(state->matching);
    state->machine = machine;
    if (machine.pid == 0 || !sample->process[WDDM_LOCAL].read)
        return;
    struct wsl_context_list *lists;
    struct wsl_seen seen = {
        .new_sample = step->windows->wddm_number != state->number,
        .after_gap = step->windows->wddm_after_gap,
        .list_count = find_contexts(step, sample, machine.pid, &lists),
        .holders = holders,
        .holder_count = holder_count,
    };
    seen.lists = lists;
    *matches = wsl_matching_step(state->matching, step->work, &seen);
}

static void add_holders(struct step *step, const struct wsl_holder *holders, size_t count,
                        const struct wsl_match *matches)
{
    for (size_t i = 0; i < count; i++) {
        struct wsl_use *use = ARENA_NEW(step->work, struct wsl_use);
        size_t device = only_device(step);
        use->why_not =
            step_windows_sample(step) ? REASON_no_context_assigned : step_windows_why_not(step);
        if (matches && matches[i].mark != PAIR_NONE) {
            *use = (struct wsl_use){.has_luid = true,
                                    .luid = matches[i].luid,
                                    .mark = matches[i].mark,
                                    .bytes = matches[i].bytes};
            device = step_device_of_luid(step, use->luid);
        }
        struct subject *subject = step_subject(step, holders[i].identity);
        step_add_use(step, subject, device)->wsl = use;
    }
}

/* A pid of an NVML list is a process here only when that process holds /dev/dxg: else it is of
 * another distribution, or of WSLg. */
static void note_others(struct step *step, const struct wsl_holder *holders, size_t count)
{
    size_t dropped = 0;
    for (size_t i = 0; i < step->rows.count; i++) {
        const struct nvml_row *row = &step->rows.items[i];
        bool ours = !row->compute && !row->graphics;
        for (size_t k = 0; k < count && !ours; k++)
            ours = holders[k].identity.pid == row->pid;
        dropped += !ours;
    }
    if (dropped > 0)
        step_note(step, TEXT("wsl_processes_elsewhere"),
                  text_format(step->snapshot->arena,
                              "%lld process%s that the driver lists %s not of this distribution "
                              "(another one, or WSLg) and left out",
                              (long long)dropped, dropped == 1 ? "" : "es",
                              dropped == 1 ? "is" : "are"));
}

static void note_host(struct step *step, const struct wddm_sample *sample)
{
    struct arena *arena = step->snapshot->arena;
    if (step->windows && step->windows->skipped_lines > 0)
        step_note(step, TEXT("host_lines_skipped"),
                  text_format(arena,
                              "%lld line%s of the Windows helper made no sense and %s skipped",
                              (long long)step->windows->skipped_lines,
                              step->windows->skipped_lines == 1 ? "" : "s",
                              step->windows->skipped_lines == 1 ? "was" : "were"));
    if (sample && !sample->process[WDDM_LOCAL].read && sample->process[WDDM_DEDICATED].read)
        step_note(step, TEXT("host_counts_committed"),
                  TEXT("this Windows counts no resident GPU memory of processes, only what they "
                       "have committed: it is shown as committed"));
}

void assemble_wsl_subjects(struct step *step)
{
    struct wsl_state *state = &step->assembler->wsl;
    const struct wddm_sample *sample = step_windows_sample(step);
    const struct wsl_match *matches = NULL;
    struct wsl_holder *holders = NULL;
    size_t count = 0;
    bool knows_processes = step->input->system && step->input->system->walk.ran;
    if (knows_processes)
        count = find_holders(step, &holders);
    if (sample && knows_processes)
        match(step, sample, holders, count, &matches);
    add_holders(step, holders, count, matches);
    note_others(step, holders, count);
    note_host(step, sample);
    if (sample)
        assemble_wsl_windows(step, sample);
    if (sample)
        state->number = step->windows->wddm_number;
}

struct identity step_windows_identity(const struct wddm_sample *sample, int64_t pid)
{
    return identity_of(sample, pid);
}

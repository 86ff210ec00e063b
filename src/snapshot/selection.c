#include "snapshot/selection.h"

#include "snapshot/selector.h"

static bool matches_any(const struct selection *selection, const struct adapter *adapter)
{
    for (size_t i = 0; i < selection->selector_count; i++) {
        if (selector_matches(selection->selectors[i], adapter)) {
            return true;
        }
    }
    return false;
}

bool selection_has_adapter(const struct selection *selection, const struct snapshot *snapshot,
                           const struct adapter *adapter)
{
    if (selection->selector_count == 0 || matches_any(selection, adapter)) {
        return true;
    }
    /* The instances of a chosen card come with it. */
    const struct adapter *parent =
        text_is_none(adapter->parent) ? NULL : snapshot_adapter(snapshot, adapter->parent);
    return parent && matches_any(selection, parent);
}

const char *selection_unmatched(const struct selection *selection, const struct snapshot *snapshot)
{
    for (size_t i = 0; i < selection->selector_count; i++) {
        bool matched = false;
        for (size_t k = 0; k < snapshot->adapter_count && !matched; k++) {
            matched = selector_matches(selection->selectors[i], &snapshot->adapters[k]);
        }
        if (!matched) {
            return selection->selectors[i];
        }
    }
    return NULL;
}

static bool has_pid(const struct selection *selection, int64_t pid)
{
    for (size_t i = 0; i < selection->pid_count; i++) {
        if (selection->pids[i] == pid) {
            return true;
        }
    }
    return selection->pid_count == 0;
}

static bool is_active(const struct gpu_use *use)
{
    return (use->vram_bytes.known && use->vram_bytes.value > 0) ||
           (use->shared_bytes.known && use->shared_bytes.value > 0) ||
           (figure_is_known(use->vram_inferred_bytes) && use->vram_inferred_bytes.value > 0) ||
           (figure_is_known(use->load_percent) && use->load_percent.value > 0);
}

/* The parts of a process on chosen adapters; their number. */
static size_t choose_uses(const struct selection *selection, const struct snapshot *snapshot,
                          const struct process *process, struct gpu_use *chosen, bool *active)
{
    size_t count = 0;
    *active = false;
    for (size_t i = 0; i < process->gpu_count; i++) {
        const struct gpu_use *use = &process->gpus[i];
        const struct adapter *adapter = snapshot_adapter(snapshot, use->adapter_id);
        bool listed = adapter ? selection_has_adapter(selection, snapshot, adapter)
                              : selection->selector_count == 0;
        if (listed) {
            chosen[count++] = *use;
            *active = *active || is_active(use);
        }
    }
    return count;
}

struct snapshot selection_apply(const struct selection *selection, const struct snapshot *snapshot,
                                struct arena *arena)
{
    struct snapshot chosen = *snapshot;
    chosen.adapters = ARENA_ARRAY(arena, struct adapter, snapshot->adapter_count);
    chosen.adapter_count = 0;
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        if (selection_has_adapter(selection, snapshot, &snapshot->adapters[i])) {
            chosen.adapters[chosen.adapter_count++] = snapshot->adapters[i];
        }
    }
    chosen.processes = ARENA_ARRAY(arena, struct process, snapshot->process_count);
    chosen.process_count = 0;
    for (size_t i = 0; i < snapshot->process_count; i++) {
        struct process process = snapshot->processes[i];
        struct gpu_use *uses = ARENA_ARRAY(arena, struct gpu_use, process.gpu_count);
        bool active = false;
        size_t use_count = choose_uses(selection, snapshot, &snapshot->processes[i], uses, &active);
        bool listed = (use_count > 0 || selection->selector_count == 0) &&
                      has_pid(selection, process.pid) && (active || !selection->active_only);
        if (listed) {
            process.gpus = uses;
            process.gpu_count = use_count;
            chosen.processes[chosen.process_count++] = process;
        }
    }
    return chosen;
}

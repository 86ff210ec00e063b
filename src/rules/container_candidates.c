#include "rules/container_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "rules/visible_devices.h"

enum { NVIDIA_MAJOR = 195, MINOR_MODESET = 254, MINOR_CONTROL = 255 };

static int compare_local(const void *a, const void *b)
{
    const struct local_process *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

struct local_processes local_processes_of(struct arena *arena, const struct system_reading *system)
{
    if (!system)
        return (struct local_processes){NULL, 0};
    size_t limit = system->process_count + system->walk.process_count, count = 0, kept = 0;
    struct local_process *all = ARENA_ARRAY(arena, struct local_process, limit);
    for (size_t i = 0; i < system->process_count; i++)
        all[count++] = (struct local_process){.pid = system->processes[i].identity.pid,
                                              .process = &system->processes[i]};
    for (size_t i = 0; i < system->walk.process_count; i++)
        all[count++] = (struct local_process){.pid = system->walk.processes[i].identity.pid,
                                              .walked = &system->walk.processes[i]};
    if (count > 1)
        qsort(all, count, sizeof *all, compare_local);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && all[kept - 1].pid == all[i].pid) {
            if (all[i].process)
                all[kept - 1].process = all[i].process;
            if (all[i].walked)
                all[kept - 1].walked = all[i].walked;
        } else {
            all[kept++] = all[i];
        }
    }
    return (struct local_processes){.items = all, .count = kept};
}

const struct local_process *local_process_find(const struct local_processes *processes, int64_t pid)
{
    const struct local_process key = {.pid = pid};
    if (processes->count == 0)
        return NULL;
    return bsearch(&key, processes->items, processes->count, sizeof key, compare_local);
}

static bool is_refused(const struct local_process *process)
{
    return process->walked && process->walked->access == WALK_REFUSED;
}

static bool is_nvidia(const struct device_file *file)
{
    return file->class == DEVICE_NVIDIA || file->class == DEVICE_NVIDIA_CONTROL;
}

/* nvidia-smi and we ourselves hold nvidiactl too, without a context. */
static bool needs_a_context(const struct device_file *file)
{
    uint32_t major = (uint32_t)(file->device_number >> 32), minor = (uint32_t)file->device_number;
    return is_nvidia(file) &&
           (major != NVIDIA_MAJOR || (minor != MINOR_CONTROL && minor != MINOR_MODESET));
}

static bool holds(const struct local_process *process, bool (*what)(const struct device_file *file))
{
    for (size_t i = 0; process->walked && i < process->walked->device_file_count; i++)
        if (what(&process->walked->device_files[i]))
            return true;
    return false;
}

enum local_evidence local_evidence_of(const struct local_process *process)
{
    if (!process)
        return EVIDENCE_NONE;
    if ((process->process && process->process->maps_gpu_runtime) || holds(process, needs_a_context))
        return EVIDENCE_GPU;
    return is_refused(process) ? EVIDENCE_REFUSED : EVIDENCE_NONE;
}

/* The devices whose files it holds; 0 where that says nothing. */
static uint64_t held_devices(const struct local_process *process, const struct nvml_seen *nvml)
{
    uint64_t held = 0;
    if (!process->walked || process->walked->incomplete)
        return 0;
    for (size_t i = 0; i < nvml->adapter_count; i++) {
        const struct adapter_reading *adapter = &nvml->adapters[i];
        if (adapter->parent_id[0] != '\0' || adapter->node_count == 0)
            continue;
        for (size_t k = 0; k < process->walked->device_file_count; k++)
            if (process->walked->device_files[k].device_number == adapter->device_numbers[0])
                held |= device_bit(i);
    }
    return held;
}

static uint64_t allowed_devices(const struct process_reading *process, const struct nvml_seen *nvml)
{
    uint64_t devices =
        visible_devices(process->cuda_visible_devices, nvml->adapters, nvml->adapter_count, true) &
        visible_devices(process->nvidia_visible_devices, nvml->adapters, nvml->adapter_count,
                        false);
    return devices != 0 ? devices : UINT64_MAX;
}

/* Instances have device files of their own: what is held of a parent says nothing about them. */
static bool has_instances(const struct nvml_seen *nvml)
{
    for (size_t i = 0; i < nvml->adapter_count; i++)
        if (nvml->adapters[i].parent_id[0] != '\0')
            return true;
    return false;
}

/* Which device files a candidate holds tells candidates apart only where they differ. */
static void apply_held(const struct nvml_seen *nvml, const struct local_process *const *sources,
                       struct pairing_candidate *candidates, size_t count)
{
    bool differ = false;
    for (size_t i = 1; i < count; i++)
        differ |= held_devices(sources[i], nvml) != held_devices(sources[0], nvml);
    for (size_t i = 0; i < count && differ && !has_instances(nvml); i++) {
        uint64_t devices = candidates[i].devices & held_devices(sources[i], nvml);
        if (devices != 0)
            candidates[i].devices = devices;
    }
}

static bool is_ours(const struct local_process *local, int64_t self_pid)
{
    return self_pid > 0 &&
           (local->pid == self_pid || (local->process && local->process->parent_pid == self_pid));
}

void container_candidates(struct arena *arena, const struct local_processes *processes,
                          const struct nvml_seen *nvml, int64_t self_pid,
                          struct pairing_facts *facts)
{
    struct pairing_candidate *candidates =
        ARENA_ARRAY(arena, struct pairing_candidate, processes->count);
    const struct local_process **sources =
        ARENA_ARRAY(arena, const struct local_process *, processes->count);
    size_t count = 0;

    for (size_t i = 0; i < processes->count; i++) {
        const struct local_process *local = &processes->items[i];
        if (is_ours(local, self_pid))
            continue;
        bool holds_device = holds(local, is_nvidia);
        if (is_refused(local) || (holds_device && local->process && !local->process->maps_readable))
            facts->doubtful = true;
        if (!holds_device || !local->process || !local->process->maps_gpu_runtime)
            continue;
        sources[count] = local;
        candidates[count++] = (struct pairing_candidate){
            .identity = local->process->identity,
            .parent_pid = local->process->parent_pid,
            .devices = allowed_devices(local->process, nvml),
        };
    }
    apply_held(nvml, sources, candidates, count);
    facts->candidates = candidates;
    facts->candidate_count = count;
}

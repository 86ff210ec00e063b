#include <string.h>

#include "base/vector.h"
#include "rules/nvidia_holders.h"
#include "sampler/assemble_parts.h"

static const struct process_reading *process_of(const struct step *step, struct identity identity)
{
    const struct process_places *places = map_get(step->assembler->places, &identity);
    return places && places->process ? &step->input->system->processes[places->process - 1] : NULL;
}

static const struct walked_process *walked_of(const struct step *step, struct identity identity)
{
    const struct process_places *places = map_get(step->assembler->places, &identity);
    return places && places->walked ? &step->input->system->walk.processes[places->walked - 1]
                                    : NULL;
}

struct subject *step_subject(struct step *step, struct identity identity)
{
    bool added;
    size_t *place = map_put(step->subject_places, &identity, &added);
    if (!added)
        return &step->subjects.items[*place];
    *place = step->subjects.count;
    const struct walked_process *walked = walked_of(step, identity);
    struct subject subject = {
        .identity = identity,
        .process = process_of(step, identity),
        .walked = walked,
        .kfd_user = kfd_is_user(&step->kfd, walked, identity),
    };
    VECTOR_PUSH(&step->subjects, subject);
    return &step->subjects.items[step->subjects.count - 1];
}

struct use_seen *step_add_use(struct step *step, struct subject *subject, size_t adapter)
{
    if (subject->uses.count == subject->uses.capacity) {
        size_t capacity = 2 * subject->uses.capacity + 1;
        struct use_seen *items = ARENA_ARRAY(step->work, struct use_seen, capacity);
        if (subject->uses.count > 0)
            memcpy(items, subject->uses.items, subject->uses.count * sizeof *items);
        subject->uses.items = items;
        subject->uses.capacity = capacity;
    }
    struct use_seen *use = &subject->uses.items[subject->uses.count++];
    *use = (struct use_seen){.adapter = adapter};
    return use;
}

static struct use_seen *use_of(struct step *step, struct subject *subject, size_t adapter)
{
    for (size_t i = 0; i < subject->uses.count; i++)
        if (subject->uses.items[i].adapter == adapter)
            return &subject->uses.items[i];
    return step_add_use(step, subject, adapter);
}

static bool is_gpu(const struct step *step, size_t adapter)
{
    return adapter != SIZE_MAX && step->adapters[adapter].reading.kind != ADAPTER_NPU;
}

/* Where a vendor library's lists were read they are the driver's own word: a descriptor of a
 * process that they do not name holds no memory there, and its driver publishes nothing about it.
 */
static bool is_answered_by_lists(const struct step *step, const struct ownership *owned,
                                 size_t adapter)
{
    const struct paired_adapter *paired = &step->adapters[adapter];
    if (!paired->reading.lists_processes || paired->reading.compute_list_unknown ||
        paired->reading.graphics_list_unknown)
        return false;
    for (size_t i = 0; i < owned->client_count; i++)
        if (owned->clients[i].client->seen.state != DRM_CLIENT_NO_STATISTICS)
            return false;
    return true;
}

static void add_drm(struct step *step)
{
    for (size_t i = 0; i < step->ownerships.count; i++) {
        const struct ownership *owned = &step->ownerships.items[i];
        size_t adapter = step_find_adapter(step, owned->adapter_id);
        if (!is_gpu(step, adapter) || is_answered_by_lists(step, owned, adapter))
            continue;
        use_of(step, step_subject(step, owned->holder), adapter)->owned = owned;
    }
}

static bool has_drm_use(const struct subject *subject)
{
    for (size_t i = 0; i < subject->uses.count; i++)
        if (subject->uses.items[i].owned)
            return true;
    return false;
}

/* KFD names a process that may hold no DRM client that we can see. */
static void add_kfd(struct step *step)
{
    for (size_t i = 0; i < step->kfd.listed_count; i++) {
        const struct kfd_process_reading *entry = &step->kfd.listed[i];
        size_t adapter = step_find_adapter(step, entry->adapter_id);
        const struct system_reading *system = step->input->system;
        struct identity identity = identity_make(NAMESPACE_LOCAL, entry->pid, IDENTITY_NO_STAMP);
        for (size_t k = 0; system && k < system->process_count; k++)
            if (system->processes[k].identity.pid == entry->pid)
                identity = system->processes[k].identity;
        if (!is_gpu(step, adapter) || entry->pid <= 0 || kfd_entry_is_empty(&step->kfd, entry))
            continue;
        struct subject *subject = step_subject(step, identity);
        bool empty = entry->vram_bytes.known && entry->vram_bytes.value == 0;
        if (!empty || !has_drm_use(subject))
            use_of(step, subject, adapter);
    }
}

/* The only adapter that KFD can be using; SIZE_MAX when there are several, or none. */
static size_t only_kfd_adapter(const struct step *step)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < step->adapter_count; i++) {
        if (!raw_equal_string(step->adapters[i].reading.driver, "amdgpu"))
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

static bool holds_kfd(const struct walked_process *process)
{
    for (size_t i = 0; i < process->device_file_count; i++)
        if (process->device_files[i].class == DEVICE_KFD)
            return true;
    return false;
}

/* A holder of KFD's device file without a DRM client and without an entry in KFD's list uses an AMD
 * GPU all the same. */
static void add_kfd_holders(struct step *step)
{
    const struct walk_reading *walk = step->kfd.walk;
    for (size_t i = 0; walk && i < walk->process_count; i++) {
        if (!holds_kfd(&walk->processes[i]))
            continue;
        struct subject *subject = step_subject(step, walk->processes[i].identity);
        if (subject->uses.count == 0)
            use_of(step, subject, only_kfd_adapter(step));
    }
}

void step_want(struct step *step, int64_t pid)
{
    VECTOR_PUSH(&step->assembler->wanted, pid);
}

static void add_nvml(struct step *step)
{
    const struct container_seen seen = {
        .in_container = step->input->mode == SNAPSHOT_CONTAINER,
        .system = step->input->system,
        .nvml = &step->nvml,
        .rows = &step->rows,
        .lists_answered = step->nvml_answered,
        .self_pid = step->input->self_pid,
    };
    const struct owned_row *owned =
        container_rows_step(step->assembler->container_rows, step->work, &seen);
    for (size_t i = 0; i < step->rows.count; i++) {
        size_t adapter = step_find_adapter(step, owned[i].row.adapter_id);
        step_want(step, owned[i].row.pid);
        if (!is_gpu(step, adapter) || assemble_windows_counts(step, owned[i].row.adapter_id))
            continue;
        struct subject *subject = step_subject(step, owned[i].identity);
        if (!subject->process)
            subject->process = owned[i].process;
        use_of(step, subject, adapter)->row = &owned[i];
    }
}

static const struct adapter_reading *adapter_at(const void *context, size_t i)
{
    const struct step *step = context;
    return &step->adapters[i].reading;
}

/* We, and the helper that speaks to NVML. */
static bool is_ours(const struct step *step, struct identity identity)
{
    int64_t self = step->input->self_pid;
    const struct process_reading *process = process_of(step, identity);
    return self != 0 && (identity.pid == self || (process && process->parent_pid == self));
}

/* NVML has named what it does there, or on an instance of it. */
static bool has_use_at(const struct step *step, const struct subject *subject, size_t adapter)
{
    const char *id = step->adapters[adapter].reading.id;
    for (size_t i = 0; i < subject->uses.count; i++) {
        size_t at = subject->uses.items[i].adapter;
        if (at == adapter || (at != SIZE_MAX && strncmp(step->adapters[at].reading.parent_id, id,
                                                        ADAPTER_ID_SIZE) == 0))
            return true;
    }
    return false;
}

static void add_nvidia_holder(struct step *step, const struct walked_process *walked,
                              const struct device_file *file)
{
    size_t adapter = SIZE_MAX;
    enum nvidia_place place =
        nvidia_holders_place(file, adapter_at, step, step->adapter_count, &adapter);
    if (place == NVIDIA_PLACE_NONE || !nvidia_holders_matter(&step->adapters[adapter].reading) ||
        is_ours(step, walked->identity))
        return;
    struct subject *subject = step_subject(step, walked->identity);
    if (place == NVIDIA_PLACE_FOUND && !has_use_at(step, subject, adapter))
        step_add_use(step, subject, adapter)->holds_file = true;
    if (place == NVIDIA_PLACE_UNKNOWN && subject->uses.count == 0)
        step_add_use(step, subject, SIZE_MAX)->holds_file = true;
}

static void add_nvidia_holders(struct step *step)
{
    const struct system_reading *system = step->input->system;
    if (!step->input->look_for_holders || !system)
        return;
    for (size_t i = 0; i < system->walk.process_count; i++)
        for (size_t k = 0; k < system->walk.processes[i].device_file_count; k++)
            add_nvidia_holder(step, &system->walk.processes[i],
                              &system->walk.processes[i].device_files[k]);
}

/* The process that somebody asks about may have nothing to do with a GPU. */
static void add_inspected(struct step *step)
{
    const struct system_reading *system = step->input->system;
    if (step->input->inspected_pid)
        step_want(step, step->input->inspected_pid);
    for (size_t i = 0; system && step->input->inspected_pid && i < system->process_count; i++)
        if (system->processes[i].identity.pid == step->input->inspected_pid)
            step_subject(step, system->processes[i].identity);
}

void assemble_subjects(struct step *step)
{
    step->assembler->wanted.count = 0;
    add_drm(step);
    add_kfd(step);
    add_kfd_holders(step);
    if (step->input->mode == SNAPSHOT_WSL)
        assemble_wsl_subjects(step);
    else
        add_nvml(step);
    assemble_windows_subjects(step);
    assemble_metal_subjects(step);
    add_nvidia_holders(step);
    add_inspected(step);
    for (size_t i = 0; i < step->kfd.listed_count; i++)
        step_want(step, step->kfd.listed[i].pid);
}

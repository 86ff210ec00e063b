#include "rules/pid_space.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "rules/driver_version.h"

enum {
    MIXED_REFRESHES = 2,  /* so long a process may be listed that has just ended */
    TURNED_REFRESHES = 3, /* so long all host pids must look like ours to be believed */
};

struct pid_space {
    enum pids_are found;
    uint32_t mixed, turned;
    struct {
        int64_t *items; /* pids that were ours in the refresh before, ascending */
        size_t count, capacity;
    } ours, next;
};

/* Of the pids listed in one refresh. */
struct listed_pids {
    size_t ours, ended, refused, others;
};

struct pid_space *pid_space_new(void)
{
    return memory_new(sizeof(struct pid_space));
}

void pid_space_free(struct pid_space **space)
{
    if (!*space)
        return;
    VECTOR_FREE(&(*space)->ours);
    VECTOR_FREE(&(*space)->next);
    free(*space);
    *space = NULL;
}

static int compare_pids(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static bool was_ours(const struct pid_space *space, int64_t pid)
{
    return space->ours.count > 0 &&
           bsearch(&pid, space->ours.items, space->ours.count, sizeof pid, compare_pids) != NULL;
}

static struct listed_pids count_listed(struct pid_space *space,
                                       const struct local_processes *processes,
                                       const struct nvml_seen *nvml)
{
    struct listed_pids listed = {0, 0, 0, 0};
    space->next.count = 0;
    for (size_t i = 0; i < nvml->listed_count; i++) {
        int64_t pid = nvml->listed[i].pid;
        if (pid <= 0)
            continue;
        const struct local_process *local = local_process_find(processes, pid);
        switch (local_evidence_of(local)) {
        case EVIDENCE_GPU:
            listed.ours++;
            VECTOR_PUSH(&space->next, pid);
            break;
        case EVIDENCE_REFUSED:
            listed.refused++;
            break;
        case EVIDENCE_NONE:
            listed.ended += was_ours(space, pid);
            listed.others += !was_ours(space, pid);
            break;
        }
    }
    if (space->next.count > 1)
        qsort(space->next.items, space->next.count, sizeof *space->next.items, compare_pids);
    return listed;
}

static enum pids_are tie_break(const struct pid_space *space, const struct nvml_seen *nvml)
{
    if (space->found != PIDS_UNKNOWN)
        return space->found;
    return driver_translates_lists(nvml) ? PIDS_TRANSLATED : PIDS_HOST;
}

static enum pids_are decide(struct pid_space *space, const struct listed_pids *listed,
                            const struct nvml_seen *nvml)
{
    size_t ours = listed->ours + listed->ended;
    bool all_ours = listed->others == 0 && ours > 0;
    bool mixed = listed->others > 0 && ours > 0;
    struct driver_version version = driver_version_of(nvml);

    space->mixed = mixed ? space->mixed + 1 : 0;
    space->turned = all_ours && space->found == PIDS_HOST ? space->turned + 1 : 0;
    if (mixed)
        return space->mixed > MIXED_REFRESHES ? PIDS_HOST : tie_break(space, nvml);
    if (all_ours && space->found == PIDS_HOST) {
        bool old = version.parts[0] != 0 && !driver_translates_lists(nvml);
        return space->turned > TURNED_REFRESHES && !old ? PIDS_TRANSLATED : PIDS_HOST;
    }
    if (all_ours)
        return PIDS_TRANSLATED;
    return listed->others > 0 ? PIDS_HOST : tie_break(space, nvml);
}

enum pids_are pid_space_step(struct pid_space *space, const struct local_processes *processes,
                             const struct nvml_seen *nvml, bool processes_known)
{
    if (!processes_known)
        return space->found == PIDS_UNKNOWN ? PIDS_HOST : space->found;
    struct listed_pids listed = count_listed(space, processes, nvml);
    if (listed.ours + listed.ended + listed.refused + listed.others > 0)
        space->found = decide(space, &listed, nvml);
    space->ours.count = 0;
    for (size_t i = 0; i < space->next.count; i++)
        VECTOR_PUSH(&space->ours, space->next.items[i]);
    return space->found == PIDS_UNKNOWN ? PIDS_HOST : space->found;
}

static bool is_listed(const struct nvml_seen *nvml, int64_t pid)
{
    for (size_t i = 0; i < nvml->listed_count; i++)
        if (nvml->listed[i].pid == pid)
            return true;
    return false;
}

static bool hides_memory(const struct nvml_seen *nvml)
{
    size_t compute = 0;
    for (size_t i = 0; i < nvml->listed_count; i++) {
        if (nvml->listed[i].list == NVML_LIST_GRAPHICS)
            continue;
        compute++;
        if (!nvml->listed[i].memory_bytes.known || nvml->listed[i].memory_bytes.value != 0)
            return false;
    }
    return compute > 0;
}

bool pid_space_samples_are_host(const struct nvml_seen *nvml)
{
    struct driver_version version = driver_version_of(nvml);
    size_t ours = 0, others = 0;
    for (size_t i = 0; i < nvml->sample_count; i++) {
        bool again = nvml->samples[i].pid <= 0;
        for (size_t k = 0; k < i && !again; k++)
            again = nvml->samples[k].pid == nvml->samples[i].pid;
        if (again)
            continue;
        if (is_listed(nvml, nvml->samples[i].pid))
            ours++;
        else
            others++;
    }
    if (ours > 1 && others == 0)
        return false;
    if (version.parts[0] != 0)
        return !driver_translates_samples(nvml);
    return hides_memory(nvml) || (ours == 0 && others > 0);
}

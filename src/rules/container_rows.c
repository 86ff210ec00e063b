#include "rules/container_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "rules/container_candidates.h"
#include "rules/container_samples.h"
#include "rules/driver_version.h"
#include "rules/pid_space.h"
#include "rules/visible_devices.h"

/* More than these the driver does not list. */
enum { LISTED_MAX = 950, PID_MAX_LIMIT = 4 << 20 /* include/linux/threads.h */ };

struct container_rows {
    struct pid_space *space;
    struct container_pairing *pairing;
    struct container_samples *samples;
};

struct container_rows *container_rows_new(void)
{
    struct container_rows *state = memory_new(sizeof *state);
    state->space = pid_space_new();
    state->pairing = container_pairing_new();
    state->samples = container_samples_new();
    return state;
}

void container_rows_free(struct container_rows **state)
{
    if (!*state)
        return;
    pid_space_free(&(*state)->space);
    container_pairing_free(&(*state)->pairing);
    container_samples_free(&(*state)->samples);
    free(*state);
    *state = NULL;
}

static bool is_listed(const struct nvml_row *row)
{
    return row->compute || row->graphics;
}

static const struct process_reading *details_of(const struct local_processes *processes,
                                                struct identity identity)
{
    const struct local_process *local = local_process_find(processes, identity.pid);
    return local && local->process && identity_equal(local->process->identity, identity)
               ? local->process
               : NULL;
}

static void own_locally(struct owned_row *owned, const struct local_processes *processes)
{
    const struct local_process *local = local_process_find(processes, owned->row.pid);
    owned->identity = identity_make(NAMESPACE_LOCAL, owned->row.pid, IDENTITY_NO_STAMP);
    if (local && local->process) {
        owned->process = local->process;
        owned->identity = local->process->identity;
    } else if (local && local->walked) {
        owned->identity = local->walked->identity;
    }
}

static void own_outside(struct owned_row *owned)
{
    owned->identity = identity_make(NAMESPACE_HOST, owned->row.pid, IDENTITY_NO_STAMP);
}

static size_t place_of(const struct nvml_seen *nvml, const char *adapter_id)
{
    for (size_t i = 0; i < nvml->adapter_count; i++)
        if (strncmp(nvml->adapters[i].id, adapter_id, ADAPTER_ID_SIZE) == 0)
            return i;
    return 0;
}

static uint64_t bits_of(const struct nvml_seen *nvml, const char *adapter_id)
{
    size_t place = place_of(nvml, adapter_id);
    uint64_t bits = device_bit(place);
    if (place < nvml->adapter_count && nvml->adapters[place].parent_id[0] != '\0')
        bits = device_bit(place_of(nvml, nvml->adapters[place].parent_id));
    return bits;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct pairing_host *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

/* The host pids that compute, once each; a pid that only a sample names may do so. */
static void gather_hosts(struct arena *arena, const struct container_seen *seen,
                         struct pairing_facts *facts)
{
    struct pairing_host *hosts = ARENA_ARRAY(arena, struct pairing_host, seen->rows->count);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < seen->rows->count; i++) {
        const struct nvml_row *row = &seen->rows->items[i];
        if (row->compute || !row->graphics)
            hosts[count++] = (struct pairing_host){.pid = row->pid,
                                                   .devices = bits_of(seen->nvml, row->adapter_id)};
    }
    if (count > 1)
        qsort(hosts, count, sizeof *hosts, compare_hosts);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && hosts[kept - 1].pid == hosts[i].pid)
            hosts[kept - 1].devices |= hosts[i].devices;
        else
            hosts[kept++] = hosts[i];
    }
    facts->hosts = hosts;
    facts->host_count = kept;
}

/* Since Linux 6.14 the file is of the namespace that reads it: a host pid may be beyond it. */
static int64_t pid_max_of(const struct container_seen *seen, const struct pairing_facts *facts)
{
    if (!seen->system || !seen->system->host.pid_max.known)
        return 0;
    int64_t pid_max = seen->system->host.pid_max.value;
    bool beyond = facts->host_count > 0 && facts->hosts[facts->host_count - 1].pid > pid_max;
    return beyond ? PID_MAX_LIMIT : pid_max;
}

static bool are_lists_complete(const struct container_seen *seen)
{
    for (size_t i = 0; i < seen->nvml->adapter_count; i++)
        if (seen->nvml->adapters[i].compute_list_unknown)
            return false;
    return seen->lists_answered && seen->system && seen->system->walk.ran &&
           seen->system->walk.complete;
}

/* Clients of MPS may share a server's entry; a full list may be cut. */
static bool are_lists_doubtful(const struct nvml_seen *nvml)
{
    size_t compute = 0;
    for (size_t i = 0; i < nvml->listed_count; i++) {
        if (nvml->listed[i].list == NVML_LIST_MPS)
            return true;
        compute += nvml->listed[i].list == NVML_LIST_COMPUTE;
    }
    return compute >= LISTED_MAX;
}

static void own_by_pairing(struct container_rows *state, struct arena *arena,
                           const struct container_seen *seen,
                           const struct local_processes *processes, struct owned_row *owned)
{
    struct pairing_facts facts = {
        .complete = are_lists_complete(seen),
        .doubtful = are_lists_doubtful(seen->nvml),
    };
    if (seen->system)
        facts.doubtful |= seen->system->walk.hidden.known && seen->system->walk.hidden.value != 0;
    gather_hosts(arena, seen, &facts);
    facts.pid_max = pid_max_of(seen, &facts);
    container_candidates(arena, processes, seen->nvml, seen->self_pid, &facts);
    const struct pair *pairs = container_pairing_step(state->pairing, arena, &facts);
    for (size_t i = 0; i < seen->rows->count; i++) {
        const struct pairing_host key = {.pid = owned[i].row.pid};
        const struct pairing_host *host = NULL;
        own_outside(&owned[i]);
        if (facts.host_count > 0 && (owned[i].row.compute || !owned[i].row.graphics))
            host = bsearch(&key, facts.hosts, facts.host_count, sizeof key, compare_hosts);
        if (!host || pairs[host - facts.hosts].mark == PAIR_NONE)
            continue;
        owned[i].identity = pairs[host - facts.hosts].identity;
        owned[i].process = details_of(processes, owned[i].identity);
        owned[i].mark = owned[i].load_mark = pairs[host - facts.hosts].mark;
    }
}

static void take_loads(struct nvml_row *row, const struct nvml_seen *nvml, int64_t sampled_pid)
{
    size_t place = place_of(nvml, row->adapter_id);
    const struct adapter_reading *adapter =
        place < nvml->adapter_count ? &nvml->adapters[place] : NULL;
    const struct nvml_process_sample *sample = NULL;
    for (size_t i = 0; i < nvml->sample_count; i++)
        if (nvml->samples[i].pid == sampled_pid &&
            strncmp(nvml->samples[i].adapter_id, row->adapter_id, ADAPTER_ID_SIZE) == 0)
            sample = &nvml->samples[i];
    nvml_row_set_loads(row, adapter, sample);
}

/* Samples of another namespace than the lists. */
static void own_samples(struct container_rows *state, struct arena *arena,
                        const struct container_seen *seen, struct owned_row *owned)
{
    struct sample_owner *owners = ARENA_ARRAY(arena, struct sample_owner, seen->rows->count);
    size_t count = 0;
    for (size_t i = 0; i < seen->rows->count; i++) {
        bool known = !is_listed(&owned[i].row);
        for (size_t k = 0; k < count && !known; k++)
            known = identity_equal(owners[k].identity, owned[i].identity);
        if (!known)
            owners[count++] = (struct sample_owner){.identity = owned[i].identity};
    }
    container_samples_step(state->samples, seen->nvml, owners, count);
    for (size_t i = 0; i < seen->rows->count; i++)
        for (size_t k = 0; k < count && is_listed(&owned[i].row); k++)
            if (identity_equal(owners[k].identity, owned[i].identity)) {
                owned[i].load_mark = owners[k].mark;
                take_loads(&owned[i].row, seen->nvml, owners[k].sampled_pid);
            }
}

static void own_translated(struct container_rows *state, struct arena *arena,
                           const struct container_seen *seen,
                           const struct local_processes *processes, struct owned_row *owned)
{
    for (size_t i = 0; i < seen->rows->count; i++) {
        struct nvml_row *row = &owned[i].row;
        /* A sample's pid is one of ours only where that is certain. */
        bool ours = is_listed(row) ||
                    (driver_translates_samples(seen->nvml) &&
                     local_evidence_of(local_process_find(processes, row->pid)) == EVIDENCE_GPU);
        if (!ours) {
            own_outside(&owned[i]);
            continue;
        }
        own_locally(&owned[i], processes);
        if (row->compute && row->memory_bytes.known && row->memory_bytes.value == 0)
            row->memory_bytes = measured_unknown(REASON_driver_hides);
    }
    if (pid_space_samples_are_host(seen->nvml))
        own_samples(state, arena, seen, owned);
}

struct owned_row *container_rows_step(struct container_rows *state, struct arena *arena,
                                      const struct container_seen *seen)
{
    struct owned_row *owned = ARENA_ARRAY(arena, struct owned_row, seen->rows->count);
    struct local_processes processes = local_processes_of(arena, seen->system);
    for (size_t i = 0; i < seen->rows->count; i++)
        owned[i].row = seen->rows->items[i];
    if (!seen->in_container) {
        for (size_t i = 0; i < seen->rows->count; i++)
            own_locally(&owned[i], &processes);
        return owned;
    }
    if (pid_space_step(state->space, &processes, seen->nvml, seen->system != NULL) ==
        PIDS_TRANSLATED)
        own_translated(state, arena, seen, &processes, owned);
    else
        own_by_pairing(state, arena, seen, &processes, owned);
    return owned;
}

#include "rules/container_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "rules/pairing_order.h"

enum {
    SAMPLED_MAX = 1024,
    STABLE_REFRESHES = 3, /* that equal counts must have lasted */
};

struct container_samples {
    struct {
        struct identity *items; /* the listed ones of the refresh before, by start */
        size_t count, capacity;
    } listed;
    struct {
        int64_t *items; /* host pids sampled since the list last changed, ascending */
        size_t count, capacity;
    } sampled;
    uint32_t stable; /* refreshes since either changed */
};

struct container_samples *container_samples_new(void)
{
    return memory_new(sizeof(struct container_samples));
}

void container_samples_free(struct container_samples **samples)
{
    if (!*samples)
        return;
    VECTOR_FREE(&(*samples)->listed);
    VECTOR_FREE(&(*samples)->sampled);
    free(*samples);
    *samples = NULL;
}

static int compare_owners(const void *a, const void *b)
{
    const struct sample_owner *left = a, *right = b;
    return identity_start_compare(left->identity, right->identity);
}

static int compare_pids(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static bool is_same_list(const struct container_samples *samples, const struct sample_owner *owners,
                         size_t count)
{
    if (samples->listed.count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!identity_equal(samples->listed.items[i], owners[i].identity))
            return false;
    return true;
}

static void see_list(struct container_samples *samples, const struct sample_owner *owners,
                     size_t count)
{
    if (is_same_list(samples, owners, count))
        return;
    samples->listed.count = samples->sampled.count = 0;
    samples->stable = 0;
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&samples->listed, owners[i].identity);
}

/* True when somebody was sampled in this refresh. */
static bool see_samples(struct container_samples *samples, const struct nvml_seen *nvml)
{
    bool any = false;
    samples->stable++;
    for (size_t i = 0; i < nvml->sample_count; i++) {
        int64_t pid = nvml->samples[i].pid;
        if (pid <= 0)
            continue;
        any = true;
        if (samples->sampled.count == SAMPLED_MAX ||
            (samples->sampled.count > 0 &&
             bsearch(&pid, samples->sampled.items, samples->sampled.count, sizeof pid,
                     compare_pids)))
            continue;
        VECTOR_PUSH(&samples->sampled, pid);
        qsort(samples->sampled.items, samples->sampled.count, sizeof pid, compare_pids);
        samples->stable = 1;
    }
    return any;
}

static bool starts_are_clear(const struct sample_owner *owners, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (identity_start_is_unclear(owners[i - 1].identity, owners[i].identity))
            return false;
    return true;
}

void container_samples_step(struct container_samples *samples, const struct nvml_seen *nvml,
                            struct sample_owner *owners, size_t owner_count)
{
    if (owner_count > 1)
        qsort(owners, owner_count, sizeof *owners, compare_owners);
    see_list(samples, owners, owner_count);
    bool any = see_samples(samples, nvml);
    size_t sampled = samples->sampled.count;
    bool matches = sampled == owner_count &&
                   (sampled == 1 ||
                    (samples->stable >= STABLE_REFRESHES && starts_are_clear(owners, owner_count)));
    for (size_t i = 0; i < owner_count; i++) {
        size_t from_end = owner_count - 1 - i;
        owners[i].sampled_pid =
            from_end < sampled ? samples->sampled.items[sampled - 1 - from_end] : 0;
        owners[i].mark = matches ? PAIR_MATCHED : PAIR_GUESS;
        if (!any)
            owners[i] = (struct sample_owner){.identity = owners[i].identity};
    }
}

#include "timeline/diff.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/diff_parts.h"

bool diff_bytes_equal(const struct diff_bytes *bytes)
{
    return bytes->before.known == bytes->after.known &&
           (!bytes->before.known || bytes->before.value == bytes->after.value);
}

static bool texts_conflict(struct text a, struct text b)
{
    return a.size > 0 && b.size > 0 && !text_equal(a, b);
}

/* Another card may stand in the same slot. */
static bool may_be_same(const struct adapter *a, const struct adapter *b)
{
    bool pci_differs = a->has_pci_ids && b->has_pci_ids &&
                       (texts_conflict(a->pci_vendor, b->pci_vendor) ||
                        texts_conflict(a->pci_device, b->pci_device) ||
                        texts_conflict(a->pci_subsystem, b->pci_subsystem));
    return text_equal(a->id, b->id) && !pci_differs && !texts_conflict(a->uuid, b->uuid);
}

static const struct adapter *find_adapter(const struct snapshot *snapshot,
                                          const struct adapter *wanted)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        if (may_be_same(&snapshot->adapters[i], wanted)) {
            return &snapshot->adapters[i];
        }
    }
    return NULL;
}

static void add_adapters(struct diff *diff, struct arena *arena)
{
    size_t room = diff->before->adapter_count + diff->after->adapter_count;
    diff->adapters = ARENA_ARRAY(arena, struct diff_adapter, room);
    for (size_t i = 0; i < diff->before->adapter_count; i++) {
        const struct adapter *before = &diff->before->adapters[i];
        const struct adapter *after = find_adapter(diff->after, before);
        diff->adapters[diff->adapter_count++] = (struct diff_adapter){
            .presence = after ? DIFF_BOTH : DIFF_GONE, .before = before, .after = after};
    }
    for (size_t i = 0; i < diff->after->adapter_count; i++) {
        const struct adapter *after = &diff->after->adapters[i];
        if (!find_adapter(diff->before, after)) {
            diff->adapters[diff->adapter_count++] =
                (struct diff_adapter){.presence = DIFF_NEW, .after = after};
        }
    }
    for (size_t i = 0; i < diff->adapter_count; i++) {
        diff_compare_adapter(diff, &diff->adapters[i], arena);
        diff->differs |= diff->adapters[i].changed;
    }
}

static bool is_same_boot(const struct snapshot *a, const struct snapshot *b)
{
    return !texts_conflict(a->host.boot_id, b->host.boot_id);
}

static double seconds_between(const struct diff *diff)
{
    struct figure from = diff->before->monotonic_seconds, to = diff->after->monotonic_seconds;
    bool running = diff->same_boot && figure_is_known(from) && figure_is_known(to);
    return running ? to.value - from.value
                   : ((double)diff->after->taken_at_ns - (double)diff->before->taken_at_ns) / 1e9;
}

const struct diff *diff_make(const struct snapshot *before, const struct snapshot *after,
                             struct arena *arena)
{
    struct diff *diff = ARENA_NEW(arena, struct diff);
    diff->before = before;
    diff->after = after;
    diff->same_boot = is_same_boot(before, after);
    diff->seconds = seconds_between(diff);
    add_adapters(diff, arena);
    diff_add_processes(diff, arena);
    diff_add_models(diff, arena);
    return diff;
}

bool diff_same_adapters(const struct diff *diff, struct problem *problem)
{
    for (size_t i = 0; i < diff->adapter_count; i++) {
        const struct diff_adapter *pair = &diff->adapters[i];
        const struct adapter *adapter = pair->before ? pair->before : pair->after;
        if (pair->presence != DIFF_BOTH) {
            return problem_set(problem,
                               "the snapshots are of different adapters: %.60s (%.60s) is only in "
                               "the %s one; -g compares those that both have",
                               adapter->id.utf8,
                               adapter->name.size ? adapter->name.utf8 : "unnamed",
                               pair->before ? "first" : "second");
        }
    }
    return true;
}

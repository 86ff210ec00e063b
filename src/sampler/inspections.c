#include "sampler/inspections.h"

#include <stdlib.h>

#include "base/map.h"

/* So many fit on a screen; the servers of others are not asked for live figures. */
enum { ON_SCREEN_MAX = 40 };

struct ranked {
    struct inspection_wish wish;
    size_t place; /* in the reading: keeps the order stable */
};

static int64_t memory_of(const struct process *process)
{
    double sum = 0;
    for (size_t i = 0; i < process->gpu_count; i++) {
        const struct gpu_use *use = &process->gpus[i];
        sum +=
            use->vram_bytes.known ? (double)use->vram_bytes.value : use->vram_inferred_bytes.value;
        sum += use->shared_bytes.known ? (double)use->shared_bytes.value : 0;
    }
    return sum < 9e18 ? (int64_t)sum : INT64_MAX;
}

static int compare(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->wish.selected != right->wish.selected)
        return left->wish.selected ? -1 : 1;
    if (left->wish.memory_bytes != right->wish.memory_bytes)
        return left->wish.memory_bytes > right->wish.memory_bytes ? -1 : 1;
    return left->place < right->place ? -1 : 1;
}

/* What is known of a process beside its reading. */
struct known {
    int64_t memory_bytes, descriptor_count;
};

static struct ranked rank(const struct process_reading *process, size_t place, struct map *knowns,
                          const struct pass *pass)
{
    const struct known *known = map_get(knowns, &process->identity);
    return (struct ranked){
        .wish =
            {
                .identity = process->identity,
                .start_wall_ns = process->start_wall_ns,
                .descriptor_count = known ? known->descriptor_count : -1,
                .memory_bytes = known ? known->memory_bytes : -1,
                .address_space_bytes = process->address_space_bytes,
                .selected = pass->wanted.selected.pid == process->identity.pid,
            },
        .place = place,
    };
}

static struct known *known_of(struct map *knowns, struct identity identity)
{
    bool added;
    struct known *known = map_put(knowns, &identity, &added);
    if (added)
        *known = (struct known){-1, -1};
    return known;
}

/* The memory that the last snapshot gives each process, and its descriptors by the walk. */
static struct map *knowns_of(const struct system_reading *system, const struct snapshot *last)
{
    struct map *knowns = map_new(sizeof(struct identity), sizeof(struct known));
    for (size_t i = 0; last && i < last->process_count; i++)
        known_of(knowns, last->processes[i].identity)->memory_bytes =
            memory_of(&last->processes[i]);
    for (size_t i = 0; i < system->walk.process_count; i++)
        known_of(knowns, system->walk.processes[i].identity)->descriptor_count =
            system->walk.processes[i].descriptor_count;
    return knowns;
}

static bool is_local(const struct process_reading *process)
{
    return process->identity.space == NAMESPACE_LOCAL &&
           process->identity.start_stamp != IDENTITY_NO_STAMP;
}

void inspections_want(struct inspector *inspector, const struct system_reading *system,
                      const struct snapshot *last, const struct pass *pass, int64_t self_pid)
{
    if (!system)
        return;
    struct arena *arena = arena_new();
    struct ranked *ranked = ARENA_ARRAY(arena, struct ranked, system->process_count);
    struct inspection_wish *wishes =
        ARENA_ARRAY(arena, struct inspection_wish, INSPECTION_WISHES_MAX);
    struct map *knowns = knowns_of(system, last);
    size_t count = 0;
    for (size_t i = 0; i < system->process_count; i++)
        if (is_local(&system->processes[i]) && system->processes[i].identity.pid != self_pid)
            ranked[count++] = rank(&system->processes[i], i, knowns, pass);
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, compare);
    if (count > INSPECTION_WISHES_MAX)
        count = INSPECTION_WISHES_MAX;
    for (size_t i = 0; i < count; i++) {
        wishes[i] = ranked[i].wish;
        wishes[i].on_screen = wishes[i].selected || i < ON_SCREEN_MAX;
    }
    inspector_want(inspector, wishes, count);
    map_free(&knowns);
    arena_free(&arena);
}

void inspections_take(struct inspections *inspections, struct inspector *inspector,
                      const struct system_reading *system, int64_t until_ns)
{
    if (system && until_ns > 0)
        inspector_wait(inspector, until_ns);
    inspections->count =
        system ? inspector_take_all(inspector, inspections->items, INSPECTION_WISHES_MAX) : 0;
}

void inspections_drop(struct inspections *inspections)
{
    for (size_t i = 0; i < inspections->count; i++)
        inspection_drop(&inspections->items[i]);
    inspections->count = 0;
}

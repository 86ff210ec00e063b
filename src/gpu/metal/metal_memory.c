#include "gpu/metal/metal_memory.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/map.h"
#include "gpu/metal/footprint_schedule.h"
#include "gpu/metal/ledger.h"

/* How often everybody's ledger is asked for, only to count those that are refused. */
static const int64_t sweep_ns = 10000000000;

struct activity {
    int64_t gpu_time_ns; /* of its clients together */
    bool busy;
    uint64_t pass;
};

struct metal_memory {
    const struct metal_source *source;
    struct arena *arena; /* of the pass */
    struct ledger_places places;
    struct footprint_schedule *schedule;
    struct map *activities; /* struct identity -> struct activity */
    struct map *measuring;  /* int64_t pid -> struct identity, while footprint is at work */
    uint64_t passes;
    bool swept;
    int64_t swept_ns, denied;
    bool measured;
    int64_t measured_ns; /* when footprint's last pass began */
};

struct metal_memory *metal_memory_new(const struct metal_source *source)
{
    struct metal_memory *memory = memory_new(sizeof *memory);
    memory->source = source;
    memory->arena = arena_new();
    memory->places.status = METAL_FAILED;
    memory->schedule = footprint_schedule_new();
    memory->activities = map_new(sizeof(struct identity), sizeof(struct activity));
    memory->measuring = map_new(sizeof(int64_t), sizeof(struct identity));
    return memory;
}

void metal_memory_free(struct metal_memory **memory)
{
    if (!*memory)
        return;
    footprint_schedule_free(&(*memory)->schedule);
    map_free(&(*memory)->activities);
    map_free(&(*memory)->measuring);
    arena_free(&(*memory)->arena);
    free(*memory);
    *memory = NULL;
}

/* The names stay once they are known. */
static void find_places(struct metal_memory *memory, uint64_t sample)
{
    struct metal_ledger_names names;
    if (memory->places.status == METAL_OK)
        return;
    memory->source->ledger_names(memory->source->context, sample, memory->arena, &names);
    memory->places = metal_ledger_places(&names);
}

static bool is_old(const void *key, void *value, void *context)
{
    (void)key;
    return ((const struct activity *)value)->pass != *(const uint64_t *)context;
}

/* Busy is whose clients did something since the pass before. */
static void see_activity(struct metal_memory *memory, const struct metal_reading *metal)
{
    int64_t *sums = ARENA_ARRAY(memory->arena, int64_t, metal->process_count);
    memory->passes++;
    for (size_t i = 0; i < metal->client_count; i++)
        if (metal->clients[i].gpu_time_ns.known)
            sums[metal->clients[i].process] =
                (int64_t)((uint64_t)sums[metal->clients[i].process] +
                          (uint64_t)metal->clients[i].gpu_time_ns.value);
    for (size_t i = 0; i < metal->process_count; i++) {
        bool added;
        struct activity *activity =
            map_put(memory->activities, &metal->processes[i].identity, &added);
        activity->busy = added || activity->gpu_time_ns != sums[i];
        activity->gpu_time_ns = sums[i];
        activity->pass = memory->passes;
    }
    map_remove_if(memory->activities, is_old, &memory->passes);
}

static void count_denied(struct metal_memory *memory, const struct pass *pass, bool always,
                         const struct macos_process_list *list)
{
    int64_t age_ns = pass->running_ns - memory->swept_ns;
    if (memory->places.status != METAL_OK ||
        (!always && memory->swept && age_ns >= 0 && age_ns < sweep_ns))
        return;
    memory->swept = true;
    memory->swept_ns = pass->running_ns;
    memory->denied = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct metal_ledger ledger;
        if (list->processes[i].zombie)
            continue;
        memory->source->ledger(memory->source->context, pass->number, list->processes[i].pid,
                               memory->places.count, &ledger);
        memory->denied += ledger.status == METAL_DENIED;
    }
}

static struct ledger_memory ask_ledger(struct metal_memory *memory, uint64_t sample, int64_t pid)
{
    struct metal_ledger ledger = {.status = METAL_UNSUPPORTED};
    if (memory->places.status == METAL_OK)
        memory->source->ledger(memory->source->context, sample, pid, memory->places.count, &ledger);
    return metal_ledger_memory(&memory->places, &ledger);
}

static void take_results(struct metal_memory *memory, int64_t now_ns)
{
    int64_t pid;
    struct measured bytes;
    while (memory->source->measured(memory->source->context, &pid, &bytes)) {
        const struct identity *process = map_get(memory->measuring, &pid);
        if (!process)
            continue;
        footprint_schedule_result(memory->schedule, *process, bytes, now_ns);
        map_remove(memory->measuring, &pid);
    }
}

/* A sample of a recording is a pass. */
static bool is_footprint_pass(struct metal_memory *memory, const struct pass *pass, bool recorded)
{
    int64_t age_ns = pass->running_ns - memory->measured_ns;
    if (!recorded && memory->measured && age_ns >= 0 && age_ns < FOOTPRINT_PASS_NS)
        return false;
    memory->measured = true;
    memory->measured_ns = pass->running_ns;
    return true;
}

/* Who is due by its schedule, as many as go in one request. */
static void begin_measuring(struct metal_memory *memory, const struct pass *pass,
                            const struct metal_process_reading *const *wanted, size_t count)
{
    int64_t pids[METAL_MEASURED_MAX];
    size_t due = 0, places[METAL_MEASURED_MAX];
    footprint_schedule_begin(memory->schedule);
    for (size_t i = 0; i < count; i++) {
        const struct activity *activity = map_get(memory->activities, &wanted[i]->identity);
        if (footprint_schedule_due(memory->schedule, wanted[i]->identity,
                                   activity && activity->busy, pass->running_ns) &&
            due < METAL_MEASURED_MAX) {
            places[due] = i;
            pids[due++] = wanted[i]->identity.pid;
        }
    }
    if (due == 0 || map_count(memory->measuring) > 0 ||
        !memory->source->measure(memory->source->context, pass->number, pids, due))
        return;
    for (size_t i = 0; i < due; i++) {
        struct identity process = wanted[places[i]]->identity;
        *(struct identity *)map_put(memory->measuring, &process.pid, NULL) = process;
        footprint_schedule_started(memory->schedule, process, pass->running_ns);
    }
}

/* The ledger's word stands where it has one. Footprint may look at our own processes only. */
static bool set_ledger(struct metal_memory *memory, uint64_t sample,
                       struct metal_process_reading *process)
{
    struct ledger_memory said = ask_ledger(memory, sample, process->identity.pid);
    process->memory_bytes = said.graphics_bytes;
    process->compressed_bytes = said.compressed_bytes;
    process->neural_bytes = said.neural_bytes;
    if (said.graphics_bytes.known)
        process->memory_source = METAL_MEMORY_LEDGER;
    else if (said.graphics_bytes.why_not == REASON_not_supported)
        process->memory_bytes = measured_unknown(
            process->owner_known && !process->is_own ? REASON_not_permitted : REASON_not_reported);
    return said.graphics_bytes.known;
}

static void set_footprint(struct metal_memory *memory, struct metal_process_reading *process)
{
    struct measured bytes = footprint_schedule_bytes(memory->schedule, process->identity);
    if (bytes.known) {
        process->memory_bytes = bytes;
        process->memory_source = METAL_MEMORY_FOOTPRINT;
    } else if (process->memory_bytes.why_not != REASON_sandbox_denies) {
        process->memory_bytes = bytes;
    }
}

/* Of everybody, as far as the process table names them; at least those that have clients. */
static void count_unreadable(const struct metal_memory *memory, struct metal_reading *metal)
{
    int64_t refused = 0, by_sandbox = 0;
    for (size_t i = 0; i < metal->process_count; i++) {
        struct measured bytes = metal->processes[i].memory_bytes;
        bool sandboxed = !bytes.known && bytes.why_not == REASON_sandbox_denies;
        by_sandbox += sandboxed;
        refused += sandboxed || (!bytes.known && bytes.why_not == REASON_not_permitted);
    }
    int64_t denied = memory->places.status == METAL_OK ? memory->denied : 0;
    metal->ledger_denied = denied > 0 || by_sandbox > 0;
    metal->unreadable = measured_known(denied > refused ? denied : refused);
}

void metal_memory_read(struct metal_memory *memory, const struct pass *pass, bool recorded,
                       const struct macos_process_list *list,
                       struct metal_process_reading *processes, struct metal_reading *metal)
{
    arena_reset(memory->arena);
    find_places(memory, pass->number);
    see_activity(memory, metal);
    count_denied(memory, pass, recorded, list);
    const struct metal_process_reading **wanted =
        ARENA_ARRAY(memory->arena, const struct metal_process_reading *, metal->process_count);
    size_t count = 0;
    for (size_t i = 0; i < metal->process_count; i++)
        if (!set_ledger(memory, pass->number, &processes[i]) && processes[i].is_own &&
            processes[i].identity.start_stamp != IDENTITY_NO_STAMP)
            wanted[count++] = &processes[i];
    take_results(memory, pass->running_ns);
    if (is_footprint_pass(memory, pass, recorded)) {
        begin_measuring(memory, pass, wanted, count);
        take_results(memory, pass->running_ns);
    }
    for (size_t i = 0; i < metal->process_count; i++)
        if (!processes[i].memory_bytes.known && processes[i].is_own)
            set_footprint(memory, &processes[i]);
    count_unreadable(memory, metal);
}

const char *metal_memory_words(const struct metal_memory *memory)
{
    return memory->places.status == METAL_OK
               ? "graphics memory by the kernel's ledger"
               : "graphics memory by footprint(1), of our own processes";
}

#include "inspect/inspector.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "inspect/gather.h"

enum { WORKERS = 2 };

static const int64_t second_ns = 1000000000;
/* Between two gatherings: the shortest where something changed, the regular one, the longest where
 * there is something to see and where there is not. Between two questions to a server. */
static const int64_t changed_s = 1, regular_s = 15, seldom_s = 120, rare_s = 480;
static const int64_t server_s = 3, silent_server_s = 60;
/* A process whose memory changed by this much may have loaded or dropped a model. */
static const int64_t changed_bytes = 64 * 1024 * 1024;

/* One process that is wanted. */
struct entry {
    struct inspection_wish wish;
    struct inspection *newest;
    bool wanted, busy;
    bool says_anything; /* the newest: else no snapshot would be another one without it */
    bool gathered;      /* at least once */
    bool done; /* gathered since it was wanted, or since the machine moved to another sample */
    bool may_be_asked; /* there is a server to ask */
    int64_t gathered_ns, asked_ns;
    int64_t step_ns;                     /* to the next gathering though nothing changes */
    int64_t pause_ns;                    /* to the next one when something does */
    int64_t silence_ns;                  /* to the next question */
    struct inspection_wish gathered_for; /* what was known of it then */
};

struct inspector {
    struct gather_place place;
    struct lock *lock; /* of everything below */
    struct condition *changed;
    struct entry *entries[INSPECTION_WISHES_MAX]; /* in the order of the wishes */
    size_t count;
    struct thread *threads[WORKERS];
    size_t busy, running;
    bool stop, hold;
};

struct inspection *inspection_take(const struct inspection *inspection)
{
    struct inspection *taken = (struct inspection *)inspection;
    reference_take(&taken->reference);
    return taken;
}

void inspection_drop(struct inspection **inspection)
{
    struct inspection *dropped = *inspection;
    *inspection = NULL;
    if (!dropped || !reference_drop(&dropped->reference))
        return;
    inspection_parts_drop(&dropped->parts);
    arena_free(&dropped->arena);
    free(dropped);
}

static void entry_free(struct entry *entry)
{
    inspection_drop(&entry->newest);
    free(entry);
}

/* Whoever opens or maps a file, or takes memory for a model, is not as before. */
static bool has_changed(const struct entry *entry)
{
    const struct inspection_wish *then = &entry->gathered_for, *now = &entry->wish;
    return then->descriptor_count != now->descriptor_count ||
           then->address_space_bytes != now->address_space_bytes ||
           llabs(then->memory_bytes - now->memory_bytes) >= changed_bytes;
}

/* What was unknown when it was gathered is not another value now. */
static void learn(struct entry *entry)
{
    struct inspection_wish *then = &entry->gathered_for;
    const struct inspection_wish *now = &entry->wish;
    if (then->descriptor_count < 0)
        then->descriptor_count = now->descriptor_count;
    if (then->address_space_bytes == 0)
        then->address_space_bytes = now->address_space_bytes;
    if (then->memory_bytes < 0)
        then->memory_bytes = now->memory_bytes;
}

static bool must_gather(const struct entry *entry, int64_t now_ns)
{
    if (!entry->done)
        return true;
    int64_t step_ns = has_changed(entry) ? entry->pause_ns : entry->step_ns;
    if (entry->wish.selected && step_ns > regular_s * second_ns)
        step_ns = regular_s * second_ns;
    return now_ns - entry->gathered_ns >= step_ns;
}

static bool must_ask(const struct inspector *inspector, const struct entry *entry, int64_t now_ns)
{
    int64_t step_ns = entry->wish.selected ? server_s * second_ns : entry->silence_ns;
    return inspector->place.probe && entry->wish.on_screen && entry->may_be_asked &&
           now_ns - entry->asked_ns >= step_ns;
}

static struct entry *next_job(struct inspector *inspector, int64_t now_ns, bool *gather)
{
    for (size_t i = 0; i < inspector->count && !inspector->hold; i++) {
        struct entry *entry = inspector->entries[i];
        *gather = !entry->busy && must_gather(entry, now_ns);
        if (*gather || (!entry->busy && must_ask(inspector, entry, now_ns)))
            return entry;
    }
    return NULL;
}

static struct inspection *make_inspection(const struct inspector *inspector,
                                          struct inspection_parts *parts)
{
    struct inspection *inspection = memory_new(sizeof *inspection);
    reference_start(&inspection->reference);
    inspection->arena = arena_new_small();
    inspection->parts = parts;
    inspection->gathered = parts->gathered;
    gather_servers(&inspector->place, parts, inspection->arena, &inspection->gathered);
    inspection->gathered_ns = thread_clock_ns();
    return inspection;
}

static int64_t doubled(int64_t step_ns, int64_t least_s, int64_t most_s)
{
    step_ns = step_ns * 2 > least_s * second_ns ? step_ns * 2 : least_s * second_ns;
    return step_ns < most_s * second_ns ? step_ns : most_s * second_ns;
}

static bool says_anything(const struct gathered *gathered)
{
    return gathered_is_of_interest(gathered) || gathered->runtime_count > 0 ||
           gathered->training_file.length > 0 || gathered->has_rank || gathered->note_count > 0 ||
           gathered->server.kind != SERVER_NONE || gathered->parent_server.kind != SERVER_NONE;
}

/* When to look again: whatever goes on changing waits longer each time, and so does what stays as
 * it is. */
static void plan_gathering(struct entry *entry, const struct inspection *made,
                           const struct inspection_wish *wish, bool first)
{
    bool of_interest = made && gathered_is_of_interest(&made->gathered);
    bool changed = !first && has_changed(entry);
    entry->pause_ns =
        changed ? doubled(entry->pause_ns, changed_s, regular_s) : changed_s * second_ns;
    /* Who loads a model maps it or takes memory for it: where that is seen there is no hurry. */
    int64_t least_s = of_interest || wish->address_space_bytes == 0 ? regular_s : rare_s;
    entry->step_ns =
        doubled(first || changed ? 0 : entry->step_ns, least_s, of_interest ? seldom_s : rare_s);
    entry->gathered_ns = thread_clock_ns();
    entry->gathered_for = *wish;
}

static void plan_question(struct entry *entry, const struct inspection *made)
{
    bool answered = made && (made->gathered.server.kind != SERVER_NONE ||
                             made->gathered.parent_server.kind != SERVER_NONE);
    entry->silence_ns =
        answered ? server_s * second_ns : doubled(entry->silence_ns, server_s, silent_server_s);
    entry->asked_ns = thread_clock_ns();
}

/* Takes what was made, unless it says nothing: no snapshot would be another one with it. Gives back
 * what is to be dropped. */
static void keep(struct entry *entry, struct inspection *made, struct inspection *dropped[2])
{
    entry->says_anything = made && says_anything(&made->gathered);
    entry->may_be_asked =
        made && (made->parts->own.kind != SERVER_NONE || made->parts->above.kind != SERVER_NONE);
    bool is_of_use = entry->says_anything || entry->may_be_asked;
    dropped[0] = entry->newest;
    dropped[1] = is_of_use ? NULL : made;
    entry->newest = is_of_use ? made : NULL;
}

/* With the lock held at both ends; without it in between. */
static void work(struct inspector *inspector, struct entry *entry, bool gather)
{
    const struct inspection_wish wish = entry->wish;
    struct inspection *previous = entry->newest ? inspection_take(entry->newest) : NULL;
    entry->busy = true;
    inspector->busy++;
    lock_leave(inspector->lock);

    struct inspection_parts *parts =
        gather ? gather_process(&inspector->place, &wish, previous ? previous->parts : NULL)
               : inspection_parts_take(previous->parts);
    struct inspection *made = parts ? make_inspection(inspector, parts) : NULL;
    inspection_drop(&previous);

    lock_enter(inspector->lock);
    if (gather)
        plan_gathering(entry, made, &wish, !entry->gathered);
    plan_question(entry, made);
    entry->gathered |= gather;
    entry->done |= gather;
    struct inspection *dropped[2];
    keep(entry, made, dropped);
    entry->busy = false;
    inspector->busy--;
    bool wanted = entry->wanted;
    condition_signal_all(inspector->changed);
    lock_leave(inspector->lock);
    inspection_drop(&dropped[0]);
    inspection_drop(&dropped[1]);
    if (!wanted)
        entry_free(entry);
    lock_enter(inspector->lock);
}

static void run(void *context)
{
    struct inspector *inspector = context;
    lock_enter(inspector->lock);
    while (!inspector->stop) {
        bool gather;
        struct entry *entry = next_job(inspector, thread_clock_ns(), &gather);
        if (entry)
            work(inspector, entry, gather);
        else
            condition_wait(inspector->changed, inspector->lock, INT64_MAX);
    }
    inspector->running--;
    condition_signal_all(inspector->changed);
    lock_leave(inspector->lock);
}

struct inspector *inspector_new(struct machine *machine, bool no_probe)
{
    struct inspector *inspector = memory_new(sizeof *inspector);
    inspector->place = (struct gather_place){
        .inside = &machine->inside,
        .root = machine->inside.files,
        .recorded = machine->recorded,
        .probe = !no_probe && !machine->recorded,
        .files = file_cache_new(),
    };
    inspector->lock = lock_new();
    inspector->changed = condition_new();
    return inspector;
}

static void start_threads(struct inspector *inspector)
{
    for (size_t i = 0; i < WORKERS; i++) {
        if (inspector->threads[i])
            continue;
        inspector->threads[i] = thread_start("inspect", run, inspector);
        inspector->running += inspector->threads[i] != NULL;
    }
}

/* `from`: where it most likely is, since the order changes little. */
static struct entry *take_entry(struct inspector *inspector, size_t from, struct identity identity)
{
    size_t count = inspector->count;
    for (size_t k = 0; k < count; k++) {
        size_t i = (from + k) % count;
        struct entry *entry = inspector->entries[i];
        if (entry && identity_equal(entry->wish.identity, identity)) {
            inspector->entries[i] = NULL;
            return entry;
        }
    }
    struct entry *entry = memory_new(sizeof *entry);
    entry->wanted = true;
    return entry;
}

void inspector_want(struct inspector *inspector, const struct inspection_wish *wishes, size_t count)
{
    struct entry *kept[INSPECTION_WISHES_MAX], *forgotten[INSPECTION_WISHES_MAX];
    size_t kept_count = 0, forgotten_count = 0;
    bool gather;
    if (!inspector->place.inside->ops)
        return;
    lock_enter(inspector->lock);
    for (size_t i = 0; i < count && kept_count < INSPECTION_WISHES_MAX; i++) {
        struct entry *entry = take_entry(inspector, i, wishes[i].identity);
        entry->wish = wishes[i];
        learn(entry);
        kept[kept_count++] = entry;
    }
    for (size_t i = 0; i < inspector->count; i++) {
        struct entry *entry = inspector->entries[i];
        if (!entry)
            continue;
        entry->wanted = false;
        if (!entry->busy)
            forgotten[forgotten_count++] = entry;
    }
    memcpy(inspector->entries, kept, kept_count * sizeof *kept);
    inspector->count = kept_count;
    inspector->hold = false;
    if (next_job(inspector, thread_clock_ns(), &gather)) {
        start_threads(inspector);
        condition_signal_all(inspector->changed);
    }
    lock_leave(inspector->lock);
    for (size_t i = 0; i < forgotten_count; i++)
        entry_free(forgotten[i]);
}

static bool all_done(const struct inspector *inspector)
{
    for (size_t i = 0; i < inspector->count; i++)
        if (!inspector->entries[i]->done)
            return false;
    return true;
}

bool inspector_wait(struct inspector *inspector, int64_t until_ns)
{
    lock_enter(inspector->lock);
    bool in_time = true;
    while (in_time && inspector->running > 0 && !all_done(inspector))
        in_time = condition_wait(inspector->changed, inspector->lock, until_ns);
    bool done = all_done(inspector);
    lock_leave(inspector->lock);
    return done;
}

size_t inspector_take_all(struct inspector *inspector, struct inspection **taken, size_t most)
{
    size_t count = 0;
    lock_enter(inspector->lock);
    for (size_t i = 0; i < inspector->count && count < most; i++)
        if (inspector->entries[i]->newest && inspector->entries[i]->says_anything)
            taken[count++] = inspection_take(inspector->entries[i]->newest);
    lock_leave(inspector->lock);
    return count;
}

void inspector_next_sample(struct inspector *inspector, int64_t until_ns)
{
    lock_enter(inspector->lock);
    inspector->hold = true;
    bool in_time = true;
    while (in_time && inspector->busy > 0)
        in_time = condition_wait(inspector->changed, inspector->lock, until_ns);
    for (size_t i = 0; i < inspector->count; i++)
        inspector->entries[i]->done = false;
    lock_leave(inspector->lock);
}

bool inspector_close(struct inspector **closing, int64_t patience_ns)
{
    struct inspector *inspector = *closing;
    int64_t until_ns = thread_clock_ns() + patience_ns;
    *closing = NULL;
    if (!inspector)
        return true;
    lock_enter(inspector->lock);
    inspector->stop = true;
    condition_signal_all(inspector->changed);
    bool in_time = true;
    while (in_time && inspector->running > 0)
        in_time = condition_wait(inspector->changed, inspector->lock, until_ns);
    bool ended = inspector->running == 0;
    lock_leave(inspector->lock);
    for (size_t i = 0; i < WORKERS; i++)
        if (inspector->threads[i] && ended)
            thread_join(&inspector->threads[i]);
        else if (inspector->threads[i])
            thread_abandon(&inspector->threads[i]);
    if (!ended)
        return false;
    for (size_t i = 0; i < inspector->count; i++)
        entry_free(inspector->entries[i]);
    file_cache_free(&inspector->place.files);
    condition_free(&inspector->changed);
    lock_free(&inspector->lock);
    free(inspector);
    return true;
}

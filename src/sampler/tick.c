#include "sampler/tick.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "base/vector.h"
#include "rules/nvidia_holders.h"
#include "sampler/backends.h"
#include "sampler/helper_driver.h"
#include "sampler/host_stream.h"
#include "sampler/probe.h"
#include "sampler/stale.h"

_Static_assert((int)TICK_READINGS_MAX >= (int)COLLECTOR_BACKENDS_MAX + (int)BACKENDS_MAX &&
                   (int)COLLECTOR_BACKENDS_MAX >= (int)BACKENDS_MAX,
               "there is room for every reading");

struct pid_list {
    int64_t *items;
    size_t count, capacity;
};

struct tick {
    struct machine *machine;
    struct wake *wake;
    struct collector *collector;
    struct helper_driver *drivers[BACKENDS_MAX];
    const struct backend *backends[BACKENDS_MAX]; /* of the drivers */
    struct helper *helpers[BACKENDS_MAX];
    size_t driver_count;
    struct host_stream *host; /* NULL: no Windows host */

    struct collection *whole;     /* the newest COLLECT_ALL */
    struct collection *details;   /* the COLLECT_DETAILS that belongs to it, or NULL */
    struct pid_list asked;        /* pids of the pass at work, ascending */
    struct pid_list missing;      /* named by a driver, not among them */
    struct pass pass;             /* the pass at work */
    struct collector_timer timer; /* of the caller, while armed */
    struct reading *stale[TICK_READINGS_MAX];
    struct system_reading merged;
    struct arena *arena; /* of `merged` */
};

struct tick *tick_new(struct machine *machine, struct wake *wake, bool no_host)
{
    struct tick *tick = memory_new(sizeof *tick);
    tick->machine = machine;
    tick->wake = wake;
    tick->arena = arena_new();
    const struct backend *const *backends = NULL;
    const struct backend *here[BACKENDS_MAX];
    size_t count = backends_of_collector(&backends), here_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!backends[i]->belongs || backends[i]->belongs(machine)) {
            here[here_count++] = backends[i];
        }
    }
    tick->collector = collector_new(machine, here, here_count, wake);
    count = backends_of_helpers(&backends);
    for (size_t i = 0; i < count; i++) {
        if (backends[i]->belongs && !backends[i]->belongs(machine)) {
            continue;
        }
        size_t at = tick->driver_count++;
        tick->backends[at] = backends[i];
        tick->drivers[at] = helper_driver_new(backends[i], machine, wake);
        tick->helpers[at] = helper_driver_helper(tick->drivers[at]);
    }
    tick->host = host_stream_new(machine, wake, no_host);
    return tick;
}

void tick_select(struct tick *tick, const struct pass *pass, const char *const *selectors,
                 size_t count)
{
    for (size_t i = 0; i < tick->driver_count; i++) {
        if (probe_selects_others(tick->machine, pass, tick->backends[i], selectors, count)) {
            helper_driver_leave_out(tick->drivers[i]);
        }
    }
}

static bool pid_is_in(const struct pid_list *list, int64_t pid)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == pid) {
            return true;
        }
    }
    return false;
}

static int compare_pids(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void want_pid(struct tick *tick, int64_t pid)
{
    bool asked = tick->asked.count > 0 && bsearch(&pid, tick->asked.items, tick->asked.count,
                                                  sizeof pid, compare_pids) != NULL;
    if (!asked && !pid_is_in(&tick->missing, pid)) {
        VECTOR_PUSH(&tick->missing, pid);
    }
}

/* KFD names host pids: in a container they are nobody here. */
static void want_kfd_pids(struct tick *tick)
{
    if (!tick->whole || machine_mode(tick->machine) == MODE_CONTAINER) {
        return;
    }
    for (size_t i = 0; i < tick->whole->reading_count; i++) {
        const struct reading *reading = tick->whole->readings[i];
        for (size_t k = 0; k < reading->kfd_process_count; k++) {
            if (reading->kfd_processes[k].pid > 0) {
                want_pid(tick, reading->kfd_processes[k].pid);
            }
        }
    }
}

/* The processes that Windows' own counters name. */
static void want_wddm_pids(struct tick *tick)
{
    for (size_t i = 0; tick->whole && i < tick->whole->reading_count; i++) {
        const struct wddm_sample *sample = tick->whole->readings[i]->wddm;
        for (int list = 0; sample && list < WDDM_PROCESS_LIST_COUNT; list++) {
            for (size_t k = 0; k < sample->process[list].count; k++) {
                want_pid(tick, sample->process[list].items[k].pid);
            }
        }
        for (size_t k = 0; sample && k < sample->engine_count; k++) {
            want_pid(tick, sample->engines[k].pid);
        }
    }
}

/* Those that opened a Metal client. */
static void want_metal_pids(struct tick *tick)
{
    for (size_t i = 0; tick->whole && i < tick->whole->reading_count; i++) {
        const struct metal_reading *metal = tick->whole->readings[i]->metal;
        for (size_t k = 0; metal && k < metal->process_count; k++) {
            want_pid(tick, metal->processes[k].identity.pid);
        }
    }
}

/* The pids that drivers name and whose details were not asked for. */
static void find_missing_pids(struct tick *tick)
{
    tick->missing.count = 0;
    want_kfd_pids(tick);
    want_wddm_pids(tick);
    want_metal_pids(tick);
    for (size_t i = 0; i < tick->driver_count; i++) {
        const struct reading *reading = helper_driver_newest(tick->drivers[i]);
        for (size_t k = 0; k < reading->listed_count; k++) {
            want_pid(tick, reading->listed[k].pid);
        }
        for (size_t k = 0; k < reading->sample_count; k++) {
            want_pid(tick, reading->samples[k].pid);
        }
    }
}

static void replace_collection(struct tick *tick, struct collection **slot,
                               struct collection *collection)
{
    if (*slot) {
        collector_return(tick->collector, *slot);
    }
    *slot = collection;
}

static void take_collection(struct tick *tick)
{
    struct collection *collection = collector_take(tick->collector);
    if (!collection) {
        return;
    }
    if (collection->job == COLLECT_ALL) {
        replace_collection(tick, &tick->details, NULL);
        replace_collection(tick, &tick->whole, collection);
    } else {
        replace_collection(tick, &tick->details, collection);
    }
}

/* Elsewhere there are no device files, and no walk. */
static bool look_for_holders(const struct tick *tick)
{
    bool wanted = false, has_files = strcmp(tick->machine->system, "linux") == 0;
    for (size_t i = 0; i < tick->driver_count && has_files; i++) {
        wanted = wanted || nvidia_holders_wanted(helper_driver_newest(tick->drivers[i]),
                                                 tick->pass.look_for_holders);
    }
    return wanted;
}

/* That a library names no processes is known only after its answer. Where nobody else needed the
 * walk it comes then. True when it was begun. */
static bool walk_for_holders(struct tick *tick)
{
    tick->pass.look_for_holders = look_for_holders(tick);
    if (!tick->pass.look_for_holders || !tick->whole || tick->whole->system->walk.ran) {
        return false;
    }
    return collector_kick(tick->collector, COLLECT_ALL, &tick->pass, tick->asked.items,
                          tick->asked.count);
}

/* What is asked of the collector after its first answer in this run. */
struct follow_up {
    bool walk_asked, details_asked;
};

/* Polls everybody. True while an answer is outstanding. */
static bool poll_all(struct tick *tick, struct follow_up *done)
{
    bool outstanding = false;
    for (size_t i = 0; i < tick->driver_count; i++) {
        outstanding |= helper_driver_poll(tick->drivers[i]);
    }
    take_collection(tick);
    if (collector_is_busy(tick->collector)) {
        return true;
    }
    /* It may have finished between the two calls above. */
    take_collection(tick);
    if (!outstanding && !done->walk_asked) {
        done->walk_asked = true;
        if (walk_for_holders(tick)) {
            return true;
        }
    }
    if (!outstanding && !done->details_asked) {
        done->details_asked = true;
        find_missing_pids(tick);
        if (tick->missing.count) {
            outstanding = collector_kick(tick->collector, COLLECT_DETAILS, &tick->pass,
                                         tick->missing.items, tick->missing.count);
        }
    }
    return outstanding;
}

/* The whole collection's system reading, joined by the details that came later. */
static const struct system_reading *join_system(struct tick *tick)
{
    const struct system_reading *whole = tick->whole->system;
    if (!tick->details) {
        return whole;
    }
    const struct system_reading *details = tick->details->system;
    tick->merged = *whole;
    arena_reset(tick->arena);
    size_t count = whole->process_count + details->process_count;
    struct process_reading *processes = ARENA_ARRAY(tick->arena, struct process_reading, count);
    size_t kept = 0;
    for (size_t i = 0; i < whole->process_count; i++) {
        processes[kept++] = whole->processes[i];
    }
    for (size_t i = 0; i < details->process_count; i++) {
        bool known = false;
        for (size_t k = 0; k < whole->process_count && !known; k++) {
            known = identity_equal(whole->processes[k].identity, details->processes[i].identity);
        }
        if (!known) {
            processes[kept++] = details->processes[i];
        }
    }
    tick->merged.processes = processes;
    tick->merged.process_count = kept;
    size_t missing = whole->missing_pid_count + details->missing_pid_count;
    int64_t *pids = ARENA_ARRAY(tick->arena, int64_t, missing);
    for (size_t i = 0; i < missing; i++) {
        pids[i] = i < whole->missing_pid_count
                      ? whole->missing_pids[i]
                      : details->missing_pids[i - whole->missing_pid_count];
    }
    tick->merged.missing_pids = pids;
    tick->merged.missing_pid_count = missing;
    /* The newer list has those that a driver named before they were in the older one. */
    if (details->everyone_read) {
        tick->merged.everyone = details->everyone;
        tick->merged.everyone_count = details->everyone_count;
        tick->merged.everyone_read = true;
    }
    return &tick->merged;
}

static void add_reading(struct tick *tick, const struct reading *reading, const struct pass *pass,
                        struct tick_result *result)
{
    size_t at = result->reading_count;
    if (at == TICK_READINGS_MAX) {
        return;
    }
    bool has_figures = reading->state == SOURCE_OK || reading->state == SOURCE_PARTIAL;
    if (has_figures && reading_is_stale(reading->running_ns, pass->running_ns, pass->interval_ns)) {
        if (!tick->stale[at]) {
            tick->stale[at] = reading_new(reading->source);
        }
        struct reading *stale = tick->stale[at];
        reading_reset(stale, reading->source);
        reading_copy_identities(stale, reading, REASON_stale);
        stale->state = SOURCE_STALE;
        stale->has_code = true;
        stale->code = REASON_stale;
        stale->running_ns = reading->running_ns;
        stale->pass_number = reading->pass_number;
        problem_set(&stale->problem, "it has not answered for %.0f s",
                    (double)(pass->running_ns - reading->running_ns) / 1e9);
        reading = stale;
    }
    result->readings[at] = reading;
    result->reading_count++;
}

static void gather(struct tick *tick, const struct pass *pass, struct tick_result *result)
{
    memset(result, 0, sizeof *result);
    result->look_for_holders = tick->pass.look_for_holders;
    if (tick->whole) {
        for (size_t i = 0; i < tick->whole->reading_count; i++) {
            add_reading(tick, tick->whole->readings[i], pass, result);
        }
        const struct system_reading *system = join_system(tick);
        result->system_is_stale =
            reading_is_stale(system->running_ns, pass->running_ns, pass->interval_ns);
        result->system = result->system_is_stale ? NULL : system;
    }
    for (size_t i = 0; i < tick->driver_count; i++) {
        add_reading(tick, helper_driver_newest(tick->drivers[i]), pass, result);
    }
    if (tick->host) {
        add_reading(tick, host_stream_newest(tick->host), pass, result);
    }
}

static bool at_end(const struct tick_patience *patience)
{
    return patience->stop(patience->context) || thread_clock_ns() >= patience->until_ns;
}

/* The Windows host's sample is taken before the processes are looked at: what it shows belongs to
 * processes that are there. */
static void run_host(struct tick *tick, const struct pass *pass,
                     const struct tick_patience *patience)
{
    struct helper *helper = host_stream_helper(tick->host);
    const int64_t look_ns = 50 * 1000000;
    host_stream_begin(tick->host, pass);
    while (host_stream_poll(tick->host) && !at_end(patience)) {
        int64_t look_again_ns = thread_clock_ns() + look_ns;
        helper_wait(&helper, 1, NULL,
                    look_again_ns < patience->until_ns ? look_again_ns : patience->until_ns);
    }
}

static void set_asked(struct tick *tick, const int64_t *pids, size_t pid_count)
{
    tick->asked.count = 0;
    for (size_t i = 0; i < pid_count; i++) {
        VECTOR_PUSH(&tick->asked, pids[i]);
    }
    if (tick->asked.count > 0) {
        qsort(tick->asked.items, tick->asked.count, sizeof *tick->asked.items, compare_pids);
    }
}

static void ask_drivers(struct tick *tick, const struct pass *pass)
{
    for (size_t i = 0; i < tick->driver_count; i++) {
        helper_driver_ask(tick->drivers[i], pass);
    }
    bool wanted = look_for_holders(tick);
    tick->pass = *pass;
    tick->pass.look_for_holders = wanted;
}

void tick_begin(struct tick *tick, const struct pass *pass, const int64_t *pids, size_t pid_count,
                const struct tick_patience *patience)
{
    set_asked(tick, pids, pid_count);
    ask_drivers(tick, pass);
    if (tick->host) {
        run_host(tick, pass, patience);
    }
    collector_kick(tick->collector, COLLECT_ALL, &tick->pass, tick->asked.items, tick->asked.count);
}

/* On the collector's thread; this tick's own sleeps until the collector is done. */
static void begin_by_timer(void *context, struct pass *pass)
{
    struct tick *tick = context;
    tick->timer.begin(tick->timer.context, pass);
    ask_drivers(tick, pass);
    *pass = tick->pass;
}

bool tick_arm(struct tick *tick, const struct collector_timer *timer, const int64_t *pids,
              size_t pid_count)
{
    struct collector_timer own = {timer->at_ns, timer->then_ns, begin_by_timer, tick};
    if (tick->host) {
        return false; /* its sample is waited for first */
    }
    tick->timer = *timer;
    set_asked(tick, pids, pid_count);
    return collector_arm(tick->collector, &own, tick->asked.items, tick->asked.count);
}

bool tick_disarm(struct tick *tick)
{
    return collector_disarm(tick->collector);
}

void tick_finish(struct tick *tick, const struct tick_patience *patience,
                 struct tick_result *result)
{
    struct follow_up done = {false, false};
    while (poll_all(tick, &done) && !at_end(patience)) {
        /* The helpers mostly answer while the collector works: one waking for both. */
        if (collector_is_busy(tick->collector)) {
            wake_wait(tick->wake, patience->until_ns);
        } else {
            helper_wait(tick->helpers, tick->driver_count, tick->wake, patience->until_ns);
        }
        wake_clear(tick->wake);
    }
    gather(tick, &tick->pass, result);
}

bool tick_needs_draining(const struct tick *tick)
{
    return host_stream_is_running(tick->host);
}

void tick_drain(struct tick *tick)
{
    host_stream_drain(tick->host);
}

bool tick_close(struct tick **closing, int64_t patience_ns)
{
    struct tick *tick = *closing;
    *closing = NULL;
    if (!tick) {
        return true;
    }
    for (size_t i = 0; i < tick->driver_count; i++) {
        helper_driver_free(&tick->drivers[i], patience_ns / 4);
    }
    host_stream_free(&tick->host, patience_ns / 4);
    if (tick->whole) {
        collector_return(tick->collector, tick->whole);
    }
    if (tick->details) {
        collector_return(tick->collector, tick->details);
    }
    bool ended = collector_close(&tick->collector, patience_ns / 2);
    for (size_t i = 0; i < TICK_READINGS_MAX; i++) {
        reading_free(&tick->stale[i]);
    }
    arena_free(&tick->arena);
    VECTOR_FREE(&tick->asked);
    VECTOR_FREE(&tick->missing);
    free(tick);
    return ended;
}

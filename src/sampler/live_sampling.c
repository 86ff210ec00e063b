#include <string.h>

#include "sampler/inspections.h"
#include "sampler/live_parts.h"
#include "snapshot/selector.h"

static const int64_t millisecond_ns = 1000000;
/* The slowest bound of anything that is asked (a helper's first answer), and a little. */
static const int64_t longest_answer_ns = 32LL * 1000000000;
/* How long one-shot output waits for what is inside the processes. */
static const int64_t inspection_patience_ns = 4LL * 1000000000;

static const int64_t late_ns = 5LL * 1000000000;

/* How often what the Windows host sends is taken while samples are far apart. */
static const int64_t drain_every_ns = 1LL * 1000000000;

static bool must_stop(void *context)
{
    struct live *live = context;
    lock_enter(live->lock);
    bool stop = live->stop;
    lock_leave(live->lock);
    return stop;
}

static void publish(struct live *live, struct snapshot *snapshot)
{
    lock_enter(live->lock);
    struct snapshot *old = live->newest;
    live->newest = snapshot;
    history_add(live->history, snapshot);
    lock_leave(live->lock);
    live_tell(live);
    snapshot_drop(&old);
}

/* A recorded machine with scripted times has an end; its last sample stays on screen. */
static bool is_at_end(const struct live *live)
{
    return !machine_waits_between_samples(live->machine) &&
           live->number >= machine_sample_count(live->machine);
}

static void select_touched(struct live *live, struct pass *pass)
{
    lock_enter(live->lock);
    struct snapshot *last = live->newest ? snapshot_take(live->newest) : NULL;
    lock_leave(live->lock);
    for (size_t i = 0; last && i < last->adapter_count; i++) {
        const struct adapter *adapter = &last->adapters[i];
        bool selected = false;
        for (size_t k = 0; k < live->options.selector_count && !selected; k++) {
            selected = selector_matches(live->options.selectors[k], adapter);
        }
        if (selected && pass->touch_count < PASS_TOUCH_MAX && adapter->id.size < ADAPTER_ID_SIZE) {
            memcpy(pass->touch[pass->touch_count++], adapter->id.utf8, adapter->id.size);
        }
    }
    snapshot_drop(&last);
}

/* How long a regular sample waits for the slowest. A screen goes on with the answer before; a
 * recording takes its time. */
static int64_t patience_ns(const struct live *live, int64_t interval_ns)
{
    bool unhurried = live->options.on_request;
    int64_t most_ns = (unhurried ? 2000 : 250) * millisecond_ns;
    int64_t share_ns = unhurried ? interval_ns - interval_ns / 8 : interval_ns / 2;
    return share_ns < most_ns ? share_ns : most_ns;
}

/* This program was stopped, or starved: rates over so long a time say nothing of any moment in it.
 */
static bool is_late(struct live *live, const struct pass *pass)
{
    int64_t since_ns = pass->running_ns - live->begun_running_ns;
    bool late = live->number > 0 && since_ns > 3 * pass->interval_ns && since_ns > late_ns;
    live->begun_running_ns = pass->running_ns;
    return late;
}

static void begin_pass(struct live *live, struct pass *pass)
{
    memset(pass, 0, sizeof *pass);
    lock_enter(live->lock);
    pass->interval_ns = live->interval_ns;
    pass->wanted = live->wanted;
    pass->after_gap = live->after_gap;
    live->after_gap = false;
    pass->one_shot = live->options.one_shot || live->refresh_all;
    live->refresh_all = false;
    lock_leave(live->lock);
    pass->goes_on = !live->options.one_shot;
    pass->number = live->number;
    select_touched(live, pass);
    machine_begin_sample(live->machine, live->number, pass);
    bool scripted = !machine_waits_between_samples(live->machine);
    pass->after_gap |= is_late(live, pass) && !scripted;
    pass->deadline_ns = scripted         ? INT64_MAX
                        : pass->one_shot ? thread_clock_ns() + longest_answer_ns
                                         : thread_clock_ns() + patience_ns(live, pass->interval_ns);
}

static enum snapshot_mode mode_of(struct machine *machine)
{
    static const enum snapshot_mode modes[MODE_COUNT] = {
        [MODE_NATIVE] = SNAPSHOT_NATIVE, [MODE_CONTAINER] = SNAPSHOT_CONTAINER,
        [MODE_WSL] = SNAPSHOT_WSL,       [MODE_WINDOWS] = SNAPSHOT_WINDOWS,
        [MODE_MACOS] = SNAPSHOT_MACOS,
    };
    return modes[machine_mode(machine)];
}

/* WSL: what an earlier run in this boot has found out. */
static void load_foreign(struct live *live, const struct system_reading *system)
{
    struct foreign_sizes sizes;
    if (live->foreign || !system || machine_mode(live->machine) != MODE_WSL) {
        return;
    }
    live->foreign = foreign_cache_new(live->machine->recorded);
    foreign_cache_load(live->foreign, system->host.boot_id, &sizes);
    assembler_set_foreign(live->assembler, &sizes);
}

static bool host_has_sample(const struct tick_result *result)
{
    for (size_t i = 0; i < result->reading_count; i++) {
        if (result->readings[i]->wddm) {
            return true;
        }
    }
    return false;
}

static struct tick_patience patience_of(struct live *live)
{
    const struct pass *pass = &live->pass;
    return (struct tick_patience){
        .until_ns = pass->deadline_ns == INT64_MAX ? thread_clock_ns() + longest_answer_ns
                                                   : pass->deadline_ns,
        .stop = must_stop,
        .context = live,
    };
}

static void begin(struct live *live)
{
    const int64_t *pids = NULL;
    struct pass *pass = &live->pass;
    if (live->number < machine_sample_count(live->machine)) {
        inspector_next_sample(live->inspector, thread_clock_ns() + inspection_patience_ns);
    }
    begin_pass(live, pass);
    if (live->number == 0 && live->options.selector_count) {
        tick_select(live->tick, pass, live->options.selectors, live->options.selector_count);
    }
    size_t pid_count = assembler_wanted_pids(live->assembler, &pids);
    struct tick_patience patience = patience_of(live);
    tick_begin(live->tick, pass, pids, pid_count, &patience);
}

/* On the collector's thread, while this one sleeps. */
static void begin_by_timer(void *context, struct pass *pass)
{
    struct live *live = context;
    begin_pass(live, &live->pass);
    *pass = live->pass;
}

/* The regular samples of a real machine begin without this thread, which then wakes up once for
 * each: when the collector has done its part. */
static void arm(struct live *live, int64_t at_ns, int64_t interval_ns)
{
    const int64_t *pids = NULL;
    const struct collector_timer timer = {at_ns, at_ns + interval_ns, begin_by_timer, live};
    if (live->number > 0 && !live->machine->recorded) {
        size_t pid_count = assembler_wanted_pids(live->assembler, &pids);
        live->armed_ns = tick_arm(live->tick, &timer, pids, pid_count) ? at_ns : 0;
    }
}

/* True: the armed sample has begun. */
static bool disarm(struct live *live)
{
    bool begun = live->armed_ns != 0 && !tick_disarm(live->tick);
    live->armed_ns = 0;
    return begun;
}

/* Finishes the sample that has begun. */
static void sample(struct live *live)
{
    const struct pass *pass = &live->pass;
    struct tick_patience patience = patience_of(live);
    struct tick_result result;
    tick_finish(live->tick, &patience, &result);
    if (must_stop(live)) {
        return;
    }
    struct inspections inspections;
    bool wait = live->machine->recorded || pass->one_shot;
    inspections_want(live->inspector, result.system, live->newest, pass, live->machine->self_pid);
    inspections_take(&inspections, live->inspector, result.system,
                     wait ? thread_clock_ns() + inspection_patience_ns : 0);
    const struct assemble_input input = {
        .pass = pass,
        .system = result.system,
        .system_why_not = result.system_is_stale ? REASON_stale : REASON_starting,
        .readings = result.readings,
        .reading_count = result.reading_count,
        .mode = mode_of(live->machine),
        .origin = live->machine->recorded ? ORIGIN_RECORDED_MACHINE : ORIGIN_LIVE,
        .system_name = live->machine->system,
        .hide_host_name = live->options.hide_host_name,
        .previous = live->newest, /* only this thread replaces it */
        .self_pid = live->machine->self_pid,
        .look_for_holders = result.look_for_holders,
        .inspections = (const struct inspection *const *)inspections.items,
        .inspection_count = inspections.count,
        .inspected_pid = live->options.inspected_pid,
    };
    load_foreign(live, result.system);
    struct snapshot *snapshot = snapshot_new(live->pool);
    assembler_step(live->assembler, &input, snapshot);
    if (live->foreign && host_has_sample(&result)) {
        foreign_cache_save(live->foreign, assembler_foreign(live->assembler));
    }
    inspections_drop(&inspections);
    snapshot->sequence = live->number + 1;
    live->number++;
    publish(live, snapshot);
}

/* Waits for the next tick or request and begins its sample. False: the end. `due_ns` is when the
 * last regular sample was due. */
static bool wait_for_turn(struct live *live, int64_t *due_ns)
{
    for (;;) {
        lock_enter(live->lock);
        bool stop = live->stop, refresh = live->refresh, paused = live->paused;
        int64_t interval_ns = live->interval_ns;
        live->refresh = false;
        lock_leave(live->lock);
        int64_t now_ns = thread_clock_ns(), armed_ns = live->armed_ns;
        bool begun = disarm(live);
        if (stop) {
            return false;
        }
        bool regular = !paused && !live->options.on_request && !is_at_end(live);
        int64_t next_ns = begun ? armed_ns : *due_ns + (live->number ? interval_ns : 0);
        if (begun || refresh || (regular && now_ns >= next_ns)) {
            /* A late sample shifts those behind it; none is made up for. */
            *due_ns = refresh || now_ns - next_ns > interval_ns ? now_ns : next_ns;
            if (!begun) {
                begin(live);
            }
            return true;
        }
        int64_t until_ns = regular ? next_ns : INT64_MAX;
        if (regular && !live->options.one_shot) {
            arm(live, next_ns, interval_ns);
            until_ns += live->armed_ns != 0 ? patience_ns(live, interval_ns) : 0;
        }
        if (tick_needs_draining(live->tick)) {
            tick_drain(live->tick);
            until_ns = until_ns - now_ns > drain_every_ns ? now_ns + drain_every_ns : until_ns;
        }
        wake_wait(live->wake, until_ns);
        wake_clear(live->wake);
    }
}

void live_sampling_run(void *context)
{
    struct live *live = context;
    int64_t due_ns = thread_clock_ns();
    while (wait_for_turn(live, &due_ns)) {
        sample(live);
    }
    bool all_ended = tick_close(&live->tick, 150 * millisecond_ns);
    all_ended &= inspector_close(&live->inspector, 30 * millisecond_ns);
    lock_enter(live->lock);
    live->ended = true;
    live->all_ended = all_ended;
    condition_signal_all(live->ended_condition);
    lock_leave(live->lock);
}

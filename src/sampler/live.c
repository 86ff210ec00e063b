#include "sampler/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "os/signals.h"
#include "sampler/live_parts.h"

static const int64_t millisecond_ns = 1000000;

void live_tell(struct live *live)
{
    lock_enter(live->listener_lock);
    if (live->listener) {
        wake_signal(live->listener);
    }
    lock_leave(live->listener_lock);
}

static struct snapshot *live_newest(struct source *source)
{
    struct live *live = (struct live *)source;
    lock_enter(live->lock);
    struct snapshot *snapshot = live->newest ? snapshot_take(live->newest) : NULL;
    lock_leave(live->lock);
    return snapshot;
}

static bool can_signal(const struct live *live)
{
    return !live->machine->recorded;
}

static bool send_signal(struct live *live, const struct source_request *request)
{
    if (!can_signal(live) || request->identity.space != NAMESPACE_LOCAL) {
        return false;
    }
    int error = signals_send(&request->identity, request->signal_number);
    lock_enter(live->lock);
    live->last_failure.text[0] = '\0';
    if (error) {
        problem_set(&live->last_failure, "process %lld was not signalled: %s",
                    (long long)request->identity.pid, strerror(error));
    }
    lock_leave(live->lock);
    live_tell(live);
    return error == 0;
}

static void set_paused(struct live *live, bool paused)
{
    if (paused && !live->paused) {
        live->paused_since_ns = thread_clock_ns();
    }
    live->after_gap = live->after_gap || (live->paused && !paused);
    live->paused = paused;
}

static bool live_request(struct source *source, const struct source_request *request)
{
    struct live *live = (struct live *)source;
    if (request->kind == SOURCE_SIGNAL) {
        return send_signal(live, request);
    }
    bool known = true;
    lock_enter(live->lock);
    switch (request->kind) {
    case SOURCE_SET_INTERVAL:
        live->interval_ns = request->interval_ns;
        break;
    case SOURCE_SET_PAUSED:
        set_paused(live, request->flag);
        break;
    case SOURCE_REFRESH:
        live->refresh = true;
        live->refresh_all = request->flag;
        break;
    case SOURCE_SET_WANTED:
        live->wanted = request->wanted;
        break;
    default:
        known = false;
        break;
    }
    lock_leave(live->lock);
    live_tell(live);
    wake_signal(live->wake);
    return known;
}

static void live_state(struct source *source, struct source_state_view *state)
{
    struct live *live = (struct live *)source;
    lock_enter(live->lock);
    *state = (struct source_state_view){
        .paused = live->paused,
        .paused_since_ns = live->paused_since_ns,
        .interval_ns = live->interval_ns,
        .scripted = !machine_waits_between_samples(live->machine),
        .can_signal = can_signal(live),
        .speed = 1,
        .last_failure = live->last_failure,
    };
    lock_leave(live->lock);
}

static bool live_history(struct source *source, struct history_request *request)
{
    struct live *live = (struct live *)source;
    lock_enter(live->lock);
    bool found = history_get(live->history, request);
    lock_leave(live->lock);
    return found;
}

static void live_notify(struct source *source, struct wake *wake)
{
    struct live *live = (struct live *)source;
    lock_enter(live->listener_lock);
    live->listener = wake;
    lock_leave(live->listener_lock);
}

static void live_free(struct live *live)
{
    snapshot_drop(&live->newest);
    assembler_free(&live->assembler);
    foreign_cache_free(&live->foreign);
    snapshot_pool_free(&live->pool);
    history_free(&live->history);
    wake_free(&live->wake);
    condition_free(&live->ended_condition);
    lock_free(&live->listener_lock);
    lock_free(&live->lock);
    machine_close(&live->machine);
    free(live);
}

static void live_close(struct source *source)
{
    struct live *live = (struct live *)source;
    int64_t until_ns = thread_clock_ns() + 230 * millisecond_ns;
    live_notify(source, NULL);
    lock_enter(live->lock);
    live->stop = true;
    wake_signal(live->wake);
    while (!live->ended && condition_wait(live->ended_condition, live->lock, until_ns)) {
    }
    bool ended = live->ended, all_ended = live->all_ended;
    lock_leave(live->lock);
    if (!ended) {
        thread_abandon(&live->thread);
        return;
    }
    thread_join(&live->thread);
    if (all_ended) {
        live_free(live);
    }
}

static const struct source_ops live_ops = {
    .newest = live_newest,
    .request = live_request,
    .state = live_state,
    .history = live_history,
    .notify = live_notify,
    .close = live_close,
};

struct source *live_open(struct machine *machine, const struct live_options *options,
                         struct problem *problem)
{
    struct live *live = memory_new(sizeof *live);
    live->source.ops = &live_ops;
    live->machine = machine;
    live->options = *options;
    live->interval_ns = options->interval_ns;
    live->wanted = options->wanted;
    live->lock = lock_new();
    live->listener_lock = lock_new();
    live->ended_condition = condition_new();
    live->wake = wake_new();
    live->pool = snapshot_pool_new();
    live->history = history_new();
    live->assembler = assembler_new();
    if (options->inspected_pid) {
        assembler_want_pid(live->assembler, options->inspected_pid);
    }
    live->tick = tick_new(machine, live->wake, options->no_host);
    live->inspector = inspector_new(machine, options->no_probe);
    live->thread = thread_start("sampler", live_sampling_run, live);
    if (!live->thread) {
        tick_close(&live->tick, 0);
        inspector_close(&live->inspector, 0);
        live_free(live);
        problem_set(problem, "the system starts no more threads; close something and try again");
        return NULL;
    }
    return &live->source;
}

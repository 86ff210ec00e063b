#include "cli/session.h"

#include <stdlib.h>

#include "base/thread.h"
#include "os/signals.h"
#include "sampler/live.h"

static const int64_t second_ns = 1000000000;

int64_t session_interval_ns(const struct command_call *call)
{
    const struct option_value *value = &call->options.values[OPTION_interval];
    return value->set ? (int64_t)(value->number * 1e9) : second_ns;
}

struct source *session_open(const struct command_call *call, enum session_kind kind,
                            const struct wanted *wanted, struct problem *problem)
{
    struct machine *machine = NULL;
    if (!machine_open(&machine, problem)) {
        return NULL;
    }
    bool one_shot = kind == SESSION_ONE_SHOT;
    struct live_options options = {
        .interval_ns = session_interval_ns(call),
        .one_shot = one_shot,
        .on_request = kind != SESSION_SCREEN,
        .hide_host_name = options_flag(&call->options, OPTION_no_host_name),
        .no_host = options_flag(&call->options, OPTION_no_host),
        .no_probe = options_flag(&call->options, OPTION_no_probe),
        .inspected_pid = call->inspected_pid,
        .wanted = *wanted,
    };
    const struct selection *selection = &call->selection;
    for (size_t i = 0; i < selection->selector_count && i < LIVE_SELECTORS_MAX; i++) {
        options.selectors[options.selector_count++] = selection->selectors[i];
    }
    return live_open(machine, &options, problem);
}

bool session_is_left(void)
{
    for (enum signal_event event; (event = signals_next()) != SIGNAL_NONE;) {
        if (event == SIGNAL_QUIT) {
            break;
        }
        if (event == SIGNAL_SUSPEND) {
            signals_stop_self();
        }
    }
    return signals_quit_number() != 0;
}

/* Waits for a snapshot or for the user to leave, whichever comes first. */
static struct snapshot *wait_for_snapshot(struct source *source, uint64_t after, int64_t until_ns,
                                          struct wake *signals)
{
    struct snapshot *snapshot = NULL;
    source_notify(source, signals);
    do {
        wake_clear(signals);
        snapshot = source_newest(source);
        if (snapshot && snapshot->sequence <= after) {
            snapshot_drop(&snapshot);
        }
    } while (!snapshot && !session_is_left() && wake_wait(signals, until_ns));
    source_notify(source, NULL);
    return snapshot;
}

struct snapshot *session_sample(struct source *source, uint64_t after, bool complete,
                                struct wake *signals)
{
    /* Longer than any bound below, so that a sample always comes or never will. */
    int64_t until_ns = thread_clock_ns() + 60 * second_ns;
    const struct source_request request = {.kind = SOURCE_REFRESH, .flag = complete};
    source_request(source, &request);
    return signals ? wait_for_snapshot(source, after, until_ns, signals)
                   : source_wait(source, after, until_ns);
}

bool session_pause(int64_t until_ns, struct wake *signals)
{
    while (!session_is_left() && wake_wait(signals, until_ns)) {
        wake_clear(signals);
    }
    return !session_is_left();
}

struct snapshot *session_two_samples(const struct command_call *call, struct source *source)
{
    struct snapshot *first = session_sample(source, 0, true, NULL);
    if (!first) {
        return NULL;
    }
    uint64_t sequence = first->sequence;
    struct source_state_view state;
    source_get_state(source, &state);
    if (first->adapter_count == 0 && !state.scripted) {
        return first;
    }
    snapshot_drop(&first);
    int64_t interval_ns = session_interval_ns(call);
    bool asked = options_flag(&call->options, OPTION_interval);
    if (!state.scripted) {
        thread_sleep_until(thread_clock_ns() + (asked ? interval_ns : second_ns / 2));
    }
    return session_sample(source, sequence, true, NULL);
}

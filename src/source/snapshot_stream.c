#include "source/snapshot_stream.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/thread.h"
#include "base/vector.h"
#include "os/clock.h"
#include "snapshot/json.h"

struct stream_line {
    struct raw_text text;
    size_t number; /* from 1 */
};

struct snapshot_stream {
    struct source source; /* must be first */
    struct snapshot_stream_options options;
    struct {
        struct stream_line *items;
        size_t count, capacity;
    } lines;

    /* The player thread's own. */
    struct thread *thread;
    struct wake *wake;
    struct snapshot_pool *pool;
    size_t next;
    uint64_t sequence;
    int64_t wall_shift_ns, last_taken_ns;
    int64_t seq_shift, last_seq; /* of events: each round is told anew */
    double running_shift_seconds, last_running_seconds;

    struct lock *lock; /* of everything below */
    bool stop, paused, at_end;
    int step;
    double speed;
    int64_t paused_since_ns, interval_ns;
    struct snapshot *newest;
    struct history *history;
    struct wake *listener;
};

static void tell_listener(struct snapshot_stream *stream)
{
    if (stream->listener) {
        wake_signal(stream->listener);
    }
}

static int64_t shifted(int64_t time_ns, int64_t shift_ns)
{
    int64_t sum = 0;
    return time_ns != TIME_UNKNOWN && number_add_i64(time_ns, shift_ns, &sum) ? sum : time_ns;
}

/* Moves the times of a snapshot, which is still ours alone, and the numbers of its events. */
static void shift_times(struct snapshot_stream *stream, struct snapshot *snapshot)
{
    int64_t shift_ns = stream->wall_shift_ns;
    snapshot->taken_at_ns = shifted(snapshot->taken_at_ns, shift_ns);
    for (size_t i = 0; i < snapshot->process_count; i++) {
        snapshot->processes[i].start_time_ns =
            shifted(snapshot->processes[i].start_time_ns, shift_ns);
    }
    for (size_t i = 0; i < snapshot->event_count; i++) {
        snapshot->events[i].at_ns = shifted(snapshot->events[i].at_ns, shift_ns);
        snapshot->events[i].seq = shifted(snapshot->events[i].seq, stream->seq_shift);
        stream->last_seq = snapshot->events[i].seq;
    }
    for (size_t i = 0; i < snapshot->source_count; i++) {
        snapshot->sources[i].since_ns = shifted(snapshot->sources[i].since_ns, shift_ns);
    }
    if (figure_is_known(snapshot->monotonic_seconds)) {
        snapshot->monotonic_seconds =
            figure_known(snapshot->monotonic_seconds.value + stream->running_shift_seconds,
                         snapshot->monotonic_seconds.how);
    }
}

/* Begins a round: the first snapshot of the recording follows the last one played by an interval.
 */
static void begin_round(struct snapshot_stream *stream, const struct snapshot *first)
{
    if (stream->sequence == 0) {
        stream->wall_shift_ns =
            stream->options.shifts_to_now ? clock_wall_ns() - first->taken_at_ns : 0;
        return;
    }
    stream->seq_shift = stream->last_seq;
    double first_seconds = first->monotonic_seconds.value;
    double interval_seconds = (double)stream->options.interval_ns / 1e9;
    stream->wall_shift_ns =
        stream->last_taken_ns + stream->options.interval_ns - first->taken_at_ns;
    stream->running_shift_seconds = stream->last_running_seconds + interval_seconds - first_seconds;
}

/* The next snapshot of the recording, or NULL: a line that is malformed is passed over. */
static struct snapshot *read_next(struct snapshot_stream *stream, struct problem *problem)
{
    const struct stream_line *line = &stream->lines.items[stream->next];
    struct snapshot *snapshot =
        snapshot_read(line->text.bytes, line->text.length, stream->options.name, line->number,
                      stream->pool, problem);
    if (snapshot) {
        if (stream->next == 0) {
            begin_round(stream, snapshot);
        }
        shift_times(stream, snapshot);
        stream->last_taken_ns = snapshot->taken_at_ns;
        stream->last_running_seconds = snapshot->monotonic_seconds.value;
        snapshot->sequence = ++stream->sequence;
    }
    stream->next++;
    if (stream->next == stream->lines.count && stream->options.loops) {
        stream->next = 0;
    }
    return snapshot;
}

static void publish(struct snapshot_stream *stream, struct snapshot *snapshot)
{
    lock_enter(stream->lock);
    struct snapshot *old = stream->newest;
    if (snapshot) {
        stream->newest = snapshot;
        history_add(stream->history, snapshot);
    } else {
        old = NULL;
    }
    stream->at_end = stream->next == stream->lines.count;
    tell_listener(stream);
    lock_leave(stream->lock);
    snapshot_drop(&old);
}

static void stream_run(void *context)
{
    struct snapshot_stream *stream = context;
    int64_t due_ns = thread_clock_ns() + stream->options.interval_ns;
    for (;;) {
        lock_enter(stream->lock);
        bool stop = stream->stop;
        bool stepping = stream->step > 0;
        bool playing = !stream->paused && !stream->at_end;
        int64_t interval_ns = (int64_t)((double)stream->interval_ns / stream->speed);
        lock_leave(stream->lock);
        if (stop) {
            return;
        }
        int64_t now_ns = thread_clock_ns();
        if ((stepping || (playing && now_ns >= due_ns)) && stream->next < stream->lines.count) {
            lock_enter(stream->lock);
            stream->step -= stepping;
            lock_leave(stream->lock);
            struct problem problem;
            publish(stream, read_next(stream, &problem));
            due_ns = now_ns + interval_ns;
            continue;
        }
        wake_wait(stream->wake, playing ? due_ns : INT64_MAX);
        wake_clear(stream->wake);
    }
}

static struct snapshot *stream_newest(struct source *source)
{
    struct snapshot_stream *stream = (struct snapshot_stream *)source;
    lock_enter(stream->lock);
    struct snapshot *snapshot = stream->newest ? snapshot_take(stream->newest) : NULL;
    lock_leave(stream->lock);
    return snapshot;
}

static bool stream_request(struct source *source, const struct source_request *request)
{
    struct snapshot_stream *stream = (struct snapshot_stream *)source;
    bool known = true;
    lock_enter(stream->lock);
    switch (request->kind) {
    case SOURCE_SET_PAUSED:
        stream->paused = request->flag;
        stream->paused_since_ns = thread_clock_ns();
        break;
    case SOURCE_STEP:
    case SOURCE_REFRESH:
        stream->step += request->kind == SOURCE_STEP && request->count > 0 ? request->count : 1;
        break;
    case SOURCE_SET_INTERVAL:
        stream->interval_ns = request->interval_ns;
        break;
    case SOURCE_SET_SPEED:
        known = request->speed >= 0.25 && request->speed <= 64;
        stream->speed = known ? request->speed : stream->speed;
        break;
    case SOURCE_SET_WANTED:
        break;
    default:
        known = false;
        break;
    }
    tell_listener(stream);
    lock_leave(stream->lock);
    wake_signal(stream->wake);
    return known;
}

static void stream_state(struct source *source, struct source_state_view *state)
{
    struct snapshot_stream *stream = (struct snapshot_stream *)source;
    lock_enter(stream->lock);
    *state = (struct source_state_view){
        .paused = stream->paused,
        .paused_since_ns = stream->paused_since_ns,
        .interval_ns = stream->interval_ns,
        .at_end = stream->at_end,
        .speed = stream->speed,
    };
    lock_leave(stream->lock);
}

static bool stream_history(struct source *source, struct history_request *request)
{
    struct snapshot_stream *stream = (struct snapshot_stream *)source;
    lock_enter(stream->lock);
    bool found = history_get(stream->history, request);
    lock_leave(stream->lock);
    return found;
}

static void stream_notify(struct source *source, struct wake *wake)
{
    struct snapshot_stream *stream = (struct snapshot_stream *)source;
    lock_enter(stream->lock);
    stream->listener = wake;
    lock_leave(stream->lock);
}

static void stream_close(struct source *source)
{
    struct snapshot_stream *stream = (struct snapshot_stream *)source;
    lock_enter(stream->lock);
    stream->stop = true;
    stream->listener = NULL;
    lock_leave(stream->lock);
    if (stream->thread) {
        wake_signal(stream->wake);
        thread_join(&stream->thread);
    }
    snapshot_drop(&stream->newest);
    snapshot_pool_free(&stream->pool);
    history_free(&stream->history);
    wake_free(&stream->wake);
    lock_free(&stream->lock);
    VECTOR_FREE(&stream->lines);
    free(stream);
}

static const struct source_ops stream_ops = {
    .newest = stream_newest,
    .request = stream_request,
    .state = stream_state,
    .history = stream_history,
    .notify = stream_notify,
    .close = stream_close,
};

static void find_lines(struct snapshot_stream *stream, const char *bytes, size_t size)
{
    struct raw_text rest = {bytes, size}, line;
    for (size_t number = 1; lines_next(&rest, &line); number++) {
        if (raw_trim(line).length > 0) {
            const struct stream_line found = {.text = line, .number = number};
            VECTOR_PUSH(&stream->lines, found);
        }
    }
}

struct source *snapshot_stream_open(const char *bytes, size_t size,
                                    const struct snapshot_stream_options *options,
                                    struct problem *problem)
{
    struct snapshot_stream *stream = memory_new(sizeof *stream);
    stream->source.ops = &stream_ops;
    stream->options = *options;
    stream->interval_ns = options->interval_ns;
    stream->speed = 1;
    stream->lock = lock_new();
    stream->wake = wake_new();
    stream->pool = snapshot_pool_new();
    stream->history = history_new();
    find_lines(stream, bytes, size);
    struct snapshot *first = NULL;
    problem_set(problem, "%s holds no snapshot", options->name);
    while (!first && stream->next < stream->lines.count && stream->sequence == 0) {
        first = read_next(stream, problem);
        if (!first && stream->next == 0) {
            break;
        }
    }
    publish(stream, first);
    stream->thread = first ? thread_start("player", stream_run, stream) : NULL;
    if (!stream->thread) {
        struct source *source = &stream->source;
        source_close(&source);
        return NULL;
    }
    return &stream->source;
}

#include <string.h>

#include "snapshot/json.h"
#include "source/replay_parts.h"

#define SECOND_NS 1000000000LL

enum {
    PUBLISH_MS = 30,      /* faster than the eye: snapshots in between are left out */
    LATE_SECONDS = 1,     /* a machine that is too slow for the speed does not catch up further */
    LOOK_AGAIN_MS = 1000, /* for a recording that grows, at its end */
    CARRIED_EVENTS = 1000,
};

static void fail(struct replay *replay, const struct problem *problem)
{
    lock_enter(replay->lock);
    replay->failure = *problem;
    replay_tell(replay);
    lock_leave(replay->lock);
}

/* Reads a frame's snapshot; NULL: it is malformed, which is said. */
static struct snapshot *read_snapshot(struct replay *replay, const struct replay_frame *frame)
{
    struct problem problem;
    struct snapshot *snapshot =
        snapshot_read(frame->line.text.bytes, frame->line.text.length, replay->path,
                      frame->line.place.line, replay->pool, &problem);
    if (!snapshot) {
        fail(replay, &problem);
    }
    return snapshot;
}

static void say_passed_over(struct replay *replay)
{
    if (replay->reader.problem.text[0] != '\0') {
        fail(replay, &replay->reader.problem);
        replay->reader.problem.text[0] = '\0';
    }
}

/* The events of a snapshot that is never shown are told with the next one. */
static void carry_events(const struct snapshot *from, struct snapshot *to)
{
    size_t count = from->event_count + to->event_count;
    if (from->event_count == 0 || count > CARRIED_EVENTS) {
        return;
    }
    struct event *events = ARENA_ARRAY(to->arena, struct event, count);
    for (size_t i = 0; i < from->event_count; i++) {
        events[i] = from->events[i];
        events[i].kind = text_copy(to->arena, from->events[i].kind);
        events[i].adapter_id = text_copy(to->arena, from->events[i].adapter_id);
        events[i].process = text_copy(to->arena, from->events[i].process);
        events[i].text = text_copy(to->arena, from->events[i].text);
    }
    if (to->event_count > 0) {
        memcpy(events + from->event_count, to->events, to->event_count * sizeof *events);
    }
    to->events = events;
    to->event_count = count;
}

static void forget_next(struct replay *replay)
{
    snapshot_drop(&replay->next.snapshot);
    replay->next.known = false;
}

/* A frame becomes the one that is shown. */
static void take(struct replay *replay, const struct replay_frame *frame, struct snapshot *snapshot,
                 const struct frame_step *step, int64_t play_ns)
{
    replay->frame = frame->number;
    replay->facts = frame->facts;
    replay->step = *step;
    replay->play_ns = play_ns;
    replay_past_show(replay, snapshot);
    snapshot->sequence = ++replay->sequence;
    if (replay->held) {
        carry_events(replay->held, snapshot);
        snapshot_drop(&replay->held);
    }
    replay->held = snapshot;
}

static void publish(struct replay *replay)
{
    if (!replay->held) {
        return;
    }
    lock_enter(replay->lock);
    struct snapshot *old = replay->newest;
    replay->newest = replay->held;
    replay->held = NULL;
    struct source_position *position = &replay->position;
    position->frame = replay->frame;
    position->play_ns = replay->play_ns;
    position->gap = (enum source_gap)replay->step.gap;
    position->gap_ns = replay->step.gap == FRAME_GAP_PAUSE || replay->step.gap == FRAME_GAP_SLEEP
                           ? replay->step.wall_ns
                           : 0;
    position->is_seeking = false;
    replay->shown = replay->facts;
    replay_tell(replay);
    lock_leave(replay->lock);
    snapshot_drop(&old);
    replay->published_ns = thread_clock_ns();
}

/* Reads the frame behind the shown one ahead, once. False: there is none (yet). */
static bool know_next(struct replay *replay)
{
    while (!replay->next.known) {
        struct replay_frame *frame = &replay->next.frame;
        bool found =
            replay_reader_get(&replay->reader, replay, replay->frame + 1, frame) == REPLAY_FRAME;
        say_passed_over(replay);
        if (!found) {
            return false;
        }
        replay->next.step = frame_step(&replay->facts, &frame->facts);
        replay->next.snapshot = read_snapshot(replay, frame);
        replay->next.known = replay->next.snapshot != NULL;
        if (!replay->next.known) {
            /* Passed over, too. */
            replay->past.last += replay->past.last == replay->frame;
            replay->frame = frame->number;
            replay->facts = frame->facts;
        }
    }
    return true;
}

static int64_t later(int64_t play_ns, int64_t wait_ns)
{
    int64_t sum;
    return __builtin_add_overflow(play_ns, wait_ns, &sum) ? play_ns : sum;
}

static void show_next(struct replay *replay)
{
    struct snapshot *snapshot = replay->next.snapshot;
    replay->next.snapshot = NULL;
    replay->next.known = false;
    take(replay, &replay->next.frame, snapshot, &replay->next.step,
         later(replay->play_ns, replay->next.step.wait_ns));
}

static void set_at_end(struct replay *replay, bool at_end)
{
    lock_enter(replay->lock);
    bool changed = replay->at_end != at_end;
    replay->at_end = at_end;
    if (changed) {
        replay_tell(replay);
    }
    lock_leave(replay->lock);
}

/* The gap before a frame that was jumped to is known when the frame before it is at hand. */
static bool show_frame(struct replay *replay, uint64_t number, int64_t play_ns)
{
    struct replay_frame frame;
    struct frame_step step = {.gap = FRAME_GAP_NONE};
    forget_next(replay);
    bool has_before = number > 0 && replay_reader_get(&replay->reader, replay, number - 1,
                                                      &frame) == REPLAY_FRAME;
    struct frame_facts before = frame.facts;
    enum replay_result result = replay_reader_get(&replay->reader, replay, number, &frame);
    if (result == REPLAY_WRONG_INDEX) {
        lock_enter(replay->lock);
        replay->index_is_wrong = true;
        lock_leave(replay->lock);
        wake_signal(replay->indexer_wake);
        return false;
    }
    if (result != REPLAY_FRAME) {
        struct problem problem;
        problem_set(&problem, "%.300s has become shorter", replay->path);
        fail(replay, &problem);
        return true;
    }
    if (has_before) {
        step = frame_step(&before, &frame.facts);
    }
    struct snapshot *snapshot = read_snapshot(replay, &frame);
    say_passed_over(replay);
    if (snapshot) {
        snapshot_drop(&replay->held);
        take(replay, &frame, snapshot, &step, play_ns);
        publish(replay);
        replay->shown_ns = thread_clock_ns();
        set_at_end(replay, false);
    }
    return true;
}

/* Where a wish leads. */
struct place {
    bool known; /* else the index does not reach there yet */
    bool none;  /* there is no such place */
    uint64_t frame;
    int64_t play_ns;
};

static struct place place_of_noted(const struct replay_index *index, size_t at)
{
    return (struct place){.known = true,
                          .frame = (uint64_t)at * index->stride,
                          .play_ns = index->noted.items[at].play_ns};
}

static struct place place_of_frame(const struct replay_index *index, uint64_t frame)
{
    const struct replay_noted *noted = replay_index_noted(index, frame);
    bool is_last = frame + 1 == index->frame_count;
    return (struct place){.known = noted != NULL,
                          .frame = frame,
                          .play_ns = is_last ? index->play_ns
                                     : noted ? noted->play_ns
                                             : 0};
}

static struct place find_step(const struct replay *replay, int count)
{
    const struct replay_index *index = &replay->index;
    uint64_t back = count < 0 ? (uint64_t) - (int64_t)count : 0;
    uint64_t frame = count < 0 ? (replay->frame > back ? replay->frame - back : 0)
                               : replay->frame + (uint64_t)count;
    if (frame >= index->frame_count && index->complete) {
        frame = index->frame_count - 1;
    }
    return place_of_frame(index, frame);
}

static struct place find_time(const struct replay *replay, const struct replay_wish *wish)
{
    const struct replay_index *index = &replay->index;
    if (wish->aim == AIM_BY) {
        int64_t to_ns = later(replay->play_ns, wish->time_ns);
        if (to_ns > index->play_ns && !index->complete) {
            return (struct place){.known = false};
        }
        if (to_ns >= index->play_ns) {
            return place_of_frame(index, index->frame_count - 1);
        }
        struct place place = place_of_noted(index, replay_index_at_play(index, to_ns));
        /* The way leads on at least by a frame, however far they are apart. */
        return wish->time_ns > 0 && place.frame <= replay->frame   ? find_step(replay, 1)
               : wish->time_ns < 0 && place.frame >= replay->frame ? find_step(replay, -1)
                                                                   : place;
    }
    if (wish->time_ns == SOURCE_SEEK_START) {
        return place_of_frame(index, 0);
    }
    if (!index->complete && index->last.wall_ns < wish->time_ns) {
        return (struct place){.known = false};
    }
    return wish->time_ns == SOURCE_SEEK_END
               ? place_of_frame(index, index->frame_count - 1)
               : place_of_noted(index, replay_index_at_wall(index, wish->time_ns));
}

static struct place find_event(const struct replay *replay, int count)
{
    uint64_t frame;
    if (replay_index_event(&replay->index, replay->frame, count, &frame)) {
        return place_of_frame(&replay->index, frame);
    }
    return (struct place){.known = replay->index.complete || count < 0, .none = true};
}

static struct place find_place(const struct replay *replay, const struct replay_wish *wish)
{
    switch (wish->aim) {
    case AIM_STEP:
        return find_step(replay, wish->count);
    case AIM_EVENT:
        return find_event(replay, wish->count);
    case AIM_BY:
    case AIM_WALL:
        break;
    }
    return replay->index.frame_count > 0 ? find_time(replay, wish) : (struct place){.known = false};
}

static void ask_again(struct replay *replay, const struct replay_wish *wish)
{
    lock_enter(replay->lock);
    replay_wishes_put_back(&replay->wishes, wish);
    replay->position.is_seeking = true;
    lock_leave(replay->lock);
}

/* Does what was asked for first. False: it has to wait for the index. */
static bool fulfil(struct replay *replay)
{
    struct replay_wish wish;
    lock_enter(replay->lock);
    bool wished = replay_wishes_take(&replay->wishes, &wish);
    struct place place = wished ? find_place(replay, &wish) : (struct place){.known = false};
    replay->position.is_seeking = false;
    lock_leave(replay->lock);
    if (!wished) {
        return true;
    }
    if (wish.aim == AIM_STEP && wish.count == 1 && know_next(replay)) {
        show_next(replay);
        publish(replay);
        replay->shown_ns = thread_clock_ns();
        return true;
    }
    if (!place.known) {
        ask_again(replay, &wish);
        return false;
    }
    if (place.none) {
        struct problem problem;
        problem_set(&problem, "there is no %s event in this recording",
                    wish.count < 0 ? "earlier" : "later");
        fail(replay, &problem);
        return true;
    }
    if (place.frame != replay->frame && !show_frame(replay, place.frame, place.play_ns)) {
        ask_again(replay, &wish); /* with a right index */
        return false;
    }
    return true;
}

bool replay_player_first(struct replay *replay, struct problem *problem)
{
    struct replay_frame frame;
    struct frame_step step = {.gap = FRAME_GAP_NONE};
    struct snapshot *snapshot = NULL;
    bool malformed = false;
    problem_set(problem, "%.300s holds no snapshot; gputaskman record makes recordings",
                replay->path);
    while (!snapshot && replay_reader_next(&replay->reader, &frame) == REPLAY_FRAME) {
        snapshot = snapshot_read(frame.line.text.bytes, frame.line.text.length, replay->path,
                                 frame.line.place.line, replay->pool, problem);
        malformed = malformed || !snapshot;
    }
    if (!snapshot) {
        return false;
    }
    take(replay, &frame, snapshot, &step, 0);
    publish(replay);
    if (malformed) {
        fail(replay, problem);
    }
    say_passed_over(replay);
    replay->shown_ns = thread_clock_ns();
    return true;
}

/* When the frame that is known next is to be shown. */
static int64_t due_ns(const struct replay *replay, double speed)
{
    double wait = (double)replay->next.step.wait_ns / speed;
    return replay->shown_ns + (wait < 9e18 ? (int64_t)wait : INT64_MAX / 2);
}

/* Shows what is due. Returns when to look again. */
static int64_t play(struct replay *replay, double speed)
{
    if (!know_next(replay)) {
        publish(replay);
        set_at_end(replay, true);
        int64_t again_ns = thread_clock_ns() + LOOK_AGAIN_MS * 1000000LL;
        if (replay_reader_again(&replay->reader)) {
            lock_enter(replay->lock);
            replay->look_again = true;
            lock_leave(replay->lock);
            wake_signal(replay->indexer_wake);
        }
        return again_ns;
    }
    int64_t now_ns = thread_clock_ns(), due = due_ns(replay, speed);
    if (now_ns < due) {
        publish(replay);
        set_at_end(replay, false);
        return due;
    }
    show_next(replay);
    bool late = now_ns - due > LATE_SECONDS * SECOND_NS;
    replay->shown_ns = late ? now_ns : due;
    if (now_ns - replay->published_ns >= PUBLISH_MS * 1000000LL) {
        publish(replay);
    }
    return now_ns;
}

static void run(struct replay *replay)
{
    for (;;) {
        wake_clear(replay->player_wake);
        lock_enter(replay->lock);
        bool stop = replay->stop, paused = replay->paused;
        bool wished = replay->wishes.count > 0;
        double speed = replay->speed;
        lock_leave(replay->lock);
        if (stop) {
            return;
        }
        if (wished && fulfil(replay)) {
            continue;
        }
        int64_t until_ns = INT64_MAX;
        if (paused || wished) {
            publish(replay);
        } else {
            until_ns = play(replay, speed);
        }
        if (replay->past.filling) {
            replay_past_fill(replay);
            continue;
        }
        wake_wait(replay->player_wake, until_ns);
    }
}

void replay_player_run(void *context)
{
    run(context);
    replay_thread_ends(context);
}

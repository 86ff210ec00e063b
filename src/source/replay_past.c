/* What the charts show of the time before the frame on screen. While a recording is played it grows
 * by each frame; after a jump the hour before is read in slices, while the screen goes on. */
#include "snapshot/json.h"
#include "source/replay_parts.h"

enum {
    SLICE = 16,
    FEW = 600, /* less past than this is worth reading more */
};

void replay_past_start(struct replay_past *past)
{
    past->history = history_new();
}

static void stop_filling(struct replay_past *past)
{
    if (past->filling) {
        replay_reader_close(&past->reader);
        history_free(&past->filled);
        past->filling = false;
    }
}

void replay_past_free(struct replay_past *past)
{
    stop_filling(past);
    history_free(&past->history);
}

static void start_filling(struct replay *replay)
{
    struct replay_past *past = &replay->past;
    struct problem problem;
    stop_filling(past);
    if (replay->frame == 0 || !replay_reader_open(&past->reader, replay->path, &problem)) {
        return;
    }
    past->filling = true;
    past->filled = history_new();
    past->filled_running_ns = TIME_UNKNOWN;
    past->filled_first = replay->frame >= HISTORY_POINTS ? replay->frame - HISTORY_POINTS + 1 : 0;
    /* The reader is at frame 0; the first slice takes it to where the past begins. */
}

static void add(struct replay *replay, const struct snapshot *snapshot)
{
    struct replay_past *past = &replay->past;
    lock_enter(replay->lock);
    history_add(past->history, snapshot);
    lock_leave(replay->lock);
    past->last = replay->frame;
    if (replay->step.gap == FRAME_GAP_REBOOT) {
        past->first = replay->frame; /* its clock began anew */
    } else if (past->last - past->first >= HISTORY_POINTS) {
        past->first = past->last - HISTORY_POINTS + 1;
    }
}

void replay_past_show(struct replay *replay, const struct snapshot *snapshot)
{
    struct replay_past *past = &replay->past;
    uint64_t frame = replay->frame;
    if (frame == past->last + 1 || replay->sequence == 0) {
        add(replay, snapshot);
        return;
    }
    if (frame < past->first || frame > past->last) {
        struct history *empty = history_new();
        lock_enter(replay->lock);
        struct history *old = past->history;
        past->history = empty;
        history_add(past->history, snapshot);
        lock_leave(replay->lock);
        history_free(&old);
        past->first = past->last = frame;
        start_filling(replay);
    } else if (!past->filling && past->first > 0 && frame - past->first < FEW &&
               replay->step.gap != FRAME_GAP_REBOOT) {
        start_filling(replay);
    }
}

static void finish_filling(struct replay *replay)
{
    struct replay_past *past = &replay->past;
    lock_enter(replay->lock);
    struct history *old = past->history;
    past->history = past->filled;
    past->filled = old; /* freed with the rest */
    replay_tell(replay);
    lock_leave(replay->lock);
    past->first = past->filled_first;
    past->last = past->reader.next - 1;
    stop_filling(past);
}

void replay_past_fill(struct replay *replay)
{
    struct replay_past *past = &replay->past;
    struct problem problem;
    for (int i = 0; i < SLICE; i++) {
        if (past->reader.next > replay->frame) {
            finish_filling(replay);
            return;
        }
        uint64_t wanted =
            past->reader.next > past->filled_first ? past->reader.next : past->filled_first;
        struct replay_frame frame;
        if (replay_reader_get(&past->reader, replay, wanted, &frame) != REPLAY_FRAME) {
            stop_filling(past);
            return;
        }
        struct snapshot *snapshot =
            snapshot_read(frame.line.text.bytes, frame.line.text.length, replay->path,
                          frame.line.place.line, replay->pool, &problem);
        if (snapshot) {
            history_add(past->filled, snapshot);
        }
        snapshot_drop(&snapshot);
        if (frame.facts.running_ns < past->filled_running_ns) {
            past->filled_first = frame.number;
        }
        past->filled_running_ns = frame.facts.running_ns;
    }
}

#include "source/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "source/replay_parts.h"

enum { CLOSE_MS = 220 };

void replay_tell(struct replay *replay)
{
    if (replay->listener) {
        wake_signal(replay->listener);
    }
}

static struct snapshot *replay_newest(struct source *source)
{
    struct replay *replay = (struct replay *)source;
    lock_enter(replay->lock);
    struct snapshot *snapshot = replay->newest ? snapshot_take(replay->newest) : NULL;
    lock_leave(replay->lock);
    return snapshot;
}

static void wish(struct replay *replay, enum replay_aim aim, int count, int64_t time_ns)
{
    const struct replay_wish wish = {aim, count, time_ns};
    replay_wishes_add(&replay->wishes, &wish);
    replay->failure.text[0] = '\0';
}

static bool replay_request(struct source *source, const struct source_request *request)
{
    struct replay *replay = (struct replay *)source;
    bool known = true;
    lock_enter(replay->lock);
    switch (request->kind) {
    case SOURCE_SET_PAUSED:
        replay->paused = request->flag;
        replay->paused_since_ns = thread_clock_ns();
        break;
    case SOURCE_STEP:
        wish(replay, AIM_STEP, request->count, 0);
        break;
    case SOURCE_SEEK:
        wish(replay, AIM_WALL, 0, request->wall_ns);
        break;
    case SOURCE_SEEK_BY:
        wish(replay, AIM_BY, 0, request->by_ns);
        break;
    case SOURCE_SEEK_EVENT:
        wish(replay, AIM_EVENT, request->count, 0);
        break;
    case SOURCE_SET_SPEED:
        known = request->speed >= SOURCE_SPEED_LEAST && request->speed <= SOURCE_SPEED_MOST;
        replay->speed = known ? request->speed : replay->speed;
        break;
    case SOURCE_REFRESH:
    case SOURCE_SET_WANTED:
        break;
    case SOURCE_SET_INTERVAL:
    case SOURCE_SIGNAL:
        known = false;
        break;
    }
    replay_tell(replay);
    lock_leave(replay->lock);
    wake_signal(replay->player_wake);
    return known;
}

/* The loads (their mean) and events of the whole recording in a few cells. */
static void fill_overview(const struct replay_index *index, struct source_position *position)
{
    unsigned sums[SOURCE_OVERVIEW_CELLS] = {0}, counts[SOURCE_OVERVIEW_CELLS] = {0};
    memset(position->load, FRAME_LOAD_UNKNOWN, sizeof position->load);
    memset(position->has_event, 0, sizeof position->has_event);
    double per_cell = (double)index->play_ns / SOURCE_OVERVIEW_CELLS;
    if (per_cell <= 0) {
        return;
    }
    for (size_t i = 0; i < index->noted.count; i++) {
        const struct replay_noted *noted = &index->noted.items[i];
        size_t cell = (size_t)((double)noted->play_ns / per_cell);
        cell = cell < SOURCE_OVERVIEW_CELLS ? cell : SOURCE_OVERVIEW_CELLS - 1;
        sums[cell] += noted->load != FRAME_LOAD_UNKNOWN ? noted->load : 0;
        counts[cell] += noted->load != FRAME_LOAD_UNKNOWN;
    }
    for (size_t cell = 0; cell < SOURCE_OVERVIEW_CELLS; cell++) {
        if (counts[cell] > 0) {
            position->load[cell] = (uint8_t)(sums[cell] / counts[cell]);
        }
    }
    for (size_t i = 0; i < index->events.count; i++) {
        size_t cell = (size_t)((double)index->events.items[i].play_ns / per_cell);
        position->has_event[cell < SOURCE_OVERVIEW_CELLS ? cell : SOURCE_OVERVIEW_CELLS - 1] = true;
    }
}

static void fill_position(struct replay *replay, struct source_position *position)
{
    const struct replay_index *index = &replay->index;
    *position = replay->position;
    const char *slash = strrchr(replay->path, '/');
    snprintf(position->name, sizeof position->name, "%s", slash ? slash + 1 : replay->path);
    position->read_share = replay->read_share;
    position->frame_count = index->frame_count;
    if (index->noted.count > 0) {
        position->begin_wall_ns = index->noted.items[0].wall_ns;
        position->end_wall_ns = index->last.wall_ns;
    }
    position->end_play_ns = index->play_ns;
    position->event = replay_index_events_to(index, position->frame);
    position->event_count = index->event_frame_count;
    if (position->event > position->event_count) {
        position->event = position->event_count;
    }
}

static void replay_state(struct source *source, struct source_state_view *state)
{
    struct replay *replay = (struct replay *)source;
    lock_enter(replay->lock);
    *state = (struct source_state_view){
        .paused = replay->paused,
        .paused_since_ns = replay->paused_since_ns,
        .interval_ns = replay->shown.interval_ns,
        .at_end = replay->at_end,
        .can_seek = true,
        .speed = replay->speed,
        .last_failure = replay->failure,
    };
    fill_position(replay, &state->position);
    if (replay->overview_frames != replay->index.frame_count) {
        fill_overview(&replay->index, &replay->overview);
        replay->overview_frames = replay->index.frame_count;
    }
    memcpy(state->position.load, replay->overview.load, sizeof replay->overview.load);
    memcpy(state->position.has_event, replay->overview.has_event,
           sizeof replay->overview.has_event);
    lock_leave(replay->lock);
}

/* Nothing that comes after what is shown. */
static bool replay_history(struct source *source, struct history_request *request)
{
    struct replay *replay = (struct replay *)source;
    lock_enter(replay->lock);
    if (replay->shown.running_ns != TIME_UNKNOWN && request->to_ns > replay->shown.running_ns) {
        request->to_ns = replay->shown.running_ns;
    }
    bool found = history_get(replay->past.history, request);
    lock_leave(replay->lock);
    return found;
}

static void replay_notify(struct source *source, struct wake *wake)
{
    struct replay *replay = (struct replay *)source;
    lock_enter(replay->lock);
    replay->listener = wake;
    lock_leave(replay->lock);
}

void replay_thread_ends(struct replay *replay)
{
    lock_enter(replay->lock);
    replay->running--;
    condition_signal_all(replay->ended);
    lock_leave(replay->lock);
}

static void replay_free(struct replay *replay)
{
    snapshot_drop(&replay->next.snapshot);
    snapshot_drop(&replay->held);
    snapshot_drop(&replay->newest);
    replay_past_free(&replay->past);
    replay_reader_close(&replay->reader);
    replay_index_free(&replay->index);
    snapshot_pool_free(&replay->pool);
    wake_free(&replay->player_wake);
    wake_free(&replay->indexer_wake);
    condition_free(&replay->ended);
    lock_free(&replay->lock);
    free(replay->path);
    free(replay);
}

/* A thread that hangs in a read (a disk that does not answer) is left behind with all it uses. */
static void end_thread(struct thread **thread, bool ended)
{
    if (*thread && ended) {
        thread_join(thread);
    } else if (*thread) {
        thread_abandon(thread);
    }
}

static void replay_close(struct source *source)
{
    struct replay *replay = (struct replay *)source;
    int64_t until_ns = thread_clock_ns() + CLOSE_MS * 1000000LL;
    lock_enter(replay->lock);
    replay->stop = true;
    replay->listener = NULL;
    wake_signal(replay->player_wake);
    wake_signal(replay->indexer_wake);
    while (replay->running > 0 && condition_wait(replay->ended, replay->lock, until_ns)) {
    }
    bool ended = replay->running == 0;
    lock_leave(replay->lock);
    end_thread(&replay->player, ended);
    end_thread(&replay->indexer, ended);
    if (ended) {
        replay_free(replay);
    }
}

static const struct source_ops replay_ops = {
    .newest = replay_newest,
    .request = replay_request,
    .state = replay_state,
    .history = replay_history,
    .notify = replay_notify,
    .close = replay_close,
};

static bool start(struct replay *replay, struct problem *problem)
{
    if (!replay_reader_open(&replay->reader, replay->path, problem)) {
        return false;
    }
    if (!recording_can_seek(replay->reader.recording)) {
        return problem_set(problem, "%.300s is not a file that can be gone back in; copy it to one",
                           replay->path);
    }
    if (!replay_player_first(replay, problem)) {
        return false;
    }
    replay->running = 2;
    replay->indexer = thread_start("index", replay_indexer_run, replay);
    replay->player = thread_start("player", replay_player_run, replay);
    lock_enter(replay->lock);
    replay->running -= (replay->indexer == NULL) + (replay->player == NULL);
    lock_leave(replay->lock);
    return (replay->indexer && replay->player) ||
           problem_set(problem, "the system has no room for another thread");
}

struct source *replay_open(const char *path, struct problem *problem)
{
    struct replay *replay = memory_new(sizeof *replay);
    replay->source.ops = &replay_ops;
    replay->path = memory_new(strlen(path) + 1);
    memcpy(replay->path, path, strlen(path) + 1);
    replay->pool = snapshot_pool_new();
    replay->lock = lock_new();
    replay->ended = condition_new();
    replay->player_wake = wake_new();
    replay->indexer_wake = wake_new();
    replay->speed = 1;
    replay->shown.running_ns = TIME_UNKNOWN;
    replay->overview_frames = UINT64_MAX;
    replay_index_start(&replay->index);
    replay_past_start(&replay->past);
    struct source *source = &replay->source;
    if (!start(replay, problem)) {
        source_close(&source);
    }
    return source;
}

/* Reads a recording through once, beside the screen, and notes what is where. */
#include <stdlib.h>

#include "source/replay_index_file.h"
#include "source/replay_parts.h"

enum { BATCH = 256, TELL_MS = 200 };

struct batch {
    struct {
        struct recording_place place;
        struct frame_facts facts;
    } frames[BATCH];
    size_t count;
};

struct indexing {
    struct replay *replay;
    struct replay_reader reader;
    struct batch batch;
    int64_t told_ns;
    bool unended; /* the last line may yet go on */
    uint64_t saved_frames;
};

static void add_batch(struct indexing *indexing, bool at_end)
{
    struct replay *replay = indexing->replay;
    struct recording *recording = indexing->reader.recording;
    int64_t now_ns = thread_clock_ns(), size = recording_size_bytes(recording);
    bool tell = at_end || now_ns - indexing->told_ns > TELL_MS * 1000000LL;
    lock_enter(replay->lock);
    for (size_t i = 0; i < indexing->batch.count; i++) {
        replay_index_add(&replay->index, &indexing->batch.frames[i].place,
                         &indexing->batch.frames[i].facts);
    }
    replay->index.end = recording_end_place(recording);
    replay->index.complete = at_end;
    replay->read_share =
        at_end || size <= 0 ? 1 : (double)recording_read_bytes(recording) / (double)size;
    if (tell) {
        indexing->told_ns = now_ns;
        replay_tell(replay);
    }
    lock_leave(replay->lock);
    /* A wish may wait for what is known now. */
    wake_signal(replay->player_wake);
    indexing->batch.count = 0;
}

static bool is_stopped(struct replay *replay)
{
    lock_enter(replay->lock);
    bool stop = replay->stop || replay->index_is_wrong;
    lock_leave(replay->lock);
    return stop;
}

/* Up to the end of what is there now. */
static void read_on(struct indexing *indexing)
{
    struct replay_frame frame;
    struct batch *batch = &indexing->batch;
    while (!is_stopped(indexing->replay)) {
        enum replay_result result = REPLAY_FRAME;
        while (batch->count < BATCH &&
               (result = replay_reader_next(&indexing->reader, &frame)) == REPLAY_FRAME) {
            batch->frames[batch->count].place = frame.line.place;
            batch->frames[batch->count++].facts = frame.facts;
            indexing->unended = frame.line.unended;
        }
        add_batch(indexing, result != REPLAY_FRAME);
        if (result != REPLAY_FRAME) {
            return;
        }
    }
}

static void save(struct indexing *indexing)
{
    struct replay *replay = indexing->replay;
    /* Only this thread changes the index. */
    if (replay->index.complete && !indexing->unended &&
        replay->index.frame_count > indexing->saved_frames &&
        recording_size_bytes(indexing->reader.recording) >= REPLAY_INDEX_LEAST_BYTES) {
        (void)replay_index_save(replay->path, &replay->index);
    }
    indexing->saved_frames = replay->index.frame_count;
}

static bool begin_anew(struct indexing *indexing)
{
    struct replay *replay = indexing->replay;
    const struct recording_place start = {.line = 1};
    lock_enter(replay->lock);
    replay_index_start(&replay->index);
    replay->index_is_wrong = false;
    lock_leave(replay->lock);
    indexing->saved_frames = 0;
    indexing->reader.next = 0;
    indexing->reader.has_line = false;
    return recording_seek(indexing->reader.recording, &start, &indexing->reader.problem);
}

/* Takes over the index that lies beside the recording, as far as it goes. */
static void load(struct indexing *indexing)
{
    struct replay *replay = indexing->replay;
    struct replay_index index = {.stride = 1};
    if (replay_index_load(replay->path, &index)) {
        bool complete = index.complete;
        /* The newest frame is read once more: what comes behind it must go on with it. */
        struct replay_frame newest;
        if (!recording_seek(indexing->reader.recording, &index.newest, &indexing->reader.problem) ||
            replay_reader_next(&indexing->reader, &newest) != REPLAY_FRAME ||
            newest.facts.wall_ns != index.last.wall_ns) {
            replay_index_free(&index);
            (void)begin_anew(indexing);
            return;
        }
        indexing->saved_frames = complete ? index.frame_count : 0;
        lock_enter(replay->lock);
        replay_index_move(&replay->index, &index);
        replay->read_share = complete ? 1 : 0;
        replay_tell(replay);
        lock_leave(replay->lock);
        wake_signal(replay->player_wake);
    }
    replay_index_free(&index);
}

static void run(struct indexing *indexing)
{
    struct replay *replay = indexing->replay;
    load(indexing);
    for (;;) {
        wake_clear(replay->indexer_wake);
        lock_enter(replay->lock);
        bool stop = replay->stop, wrong = replay->index_is_wrong, again = replay->look_again;
        bool complete = replay->index.complete;
        replay->look_again = false;
        lock_leave(replay->lock);
        if (stop) {
            return;
        }
        if (wrong && !begin_anew(indexing)) {
            return;
        }
        if (wrong || !complete || (again && replay_reader_again(&indexing->reader))) {
            read_on(indexing);
            save(indexing); /* also when we leave: it is made */
            continue;
        }
        wake_wait(replay->indexer_wake, INT64_MAX);
    }
}

void replay_indexer_run(void *context)
{
    struct replay *replay = context;
    struct indexing *indexing = calloc(1, sizeof *indexing);
    struct problem problem;
    if (indexing) {
        indexing->replay = replay;
        if (replay_reader_open(&indexing->reader, replay->path, &problem)) {
            run(indexing);
        }
        replay_reader_close(&indexing->reader);
    }
    free(indexing);
    replay_thread_ends(replay);
}

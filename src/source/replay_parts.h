/* Inside replay: the source (replay.c), the thread that plays (replay_player.c), what it reads
 * (replay_reader.c), what it is asked for (replay_wishes.c), the past for charts (replay_past.c),
 * and the worker that makes the index (replay_indexer.c). */
#ifndef SOURCE_REPLAY_PARTS_H
#define SOURCE_REPLAY_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"
#include "os/wake.h"
#include "source/replay_index.h"
#include "source/replay_wishes.h"
#include "source/source.h"
#include "timeline/history.h"

/* Goes through the frames of a recording by their number. One thread's own. */
struct replay_reader {
    struct recording *recording;
    struct snapshot_scanner *scanner;
    uint64_t next; /* number of the frame that is read next */
    struct recording_place last_place;
    bool has_line;
    struct problem problem; /* of a line that was passed over; "": none */
};

struct replay_frame {
    uint64_t number;
    struct frame_facts facts;
    struct recording_line line; /* valid until the reader goes on */
};

enum replay_result {
    REPLAY_FRAME,
    REPLAY_END,
    REPLAY_NOT_YET, /* the index does not reach there */
    REPLAY_WRONG_INDEX,
};

/* The charts' past up to the frame that is shown. The player's own, but for `history`, which is
 * under the lock of the replay. */
struct replay_past {
    struct history *history;
    uint64_t first, last; /* the frames that are in it */
    /* The past of a place that was jumped to, filled in slices. */
    bool filling;
    struct replay_reader reader;
    struct history *filled;
    uint64_t filled_first;
    int64_t filled_running_ns;
};

struct replay {
    struct source source; /* must be first */
    char *path;
    struct snapshot_pool *pool;
    struct thread *player, *indexer;
    struct wake *player_wake, *indexer_wake;

    /* The player's own. */
    struct replay_reader reader;
    struct replay_past past;
    struct snapshot *held; /* shown next, or NULL */
    uint64_t frame;        /* that is shown */
    struct frame_facts facts;
    int64_t play_ns;
    struct frame_step step; /* into the frame that is shown */
    uint64_t sequence;
    int64_t shown_ns, published_ns; /* thread_clock_ns() */
    struct {
        bool known;
        struct replay_frame frame;
        struct frame_step step;
        struct snapshot *snapshot;
    } next;

    struct lock *lock; /* of everything below */
    struct condition *ended;
    int running; /* threads that have not ended */
    bool stop, paused, at_end, look_again;
    double speed;
    int64_t paused_since_ns;
    struct replay_wishes wishes;
    struct snapshot *newest;
    struct source_position position; /* of `newest`; what the index says is filled in when asked */
    struct frame_facts shown;        /* of `newest` */
    struct problem failure;
    struct replay_index index; /* written by the indexer alone */
    double read_share;
    struct source_position overview; /* its cells, of an index of so many frames */
    uint64_t overview_frames;
    bool index_is_wrong; /* the player found out; the indexer makes it anew */
    struct wake *listener;
};

void replay_tell(struct replay *replay); /* with the lock held */
void replay_thread_ends(struct replay *replay);

/* replay_reader.c */
bool replay_reader_open(struct replay_reader *reader, const char *path, struct problem *problem);
void replay_reader_close(struct replay_reader *reader);
/* The next frame in the file; lines that are none are passed over. */
enum replay_result replay_reader_next(struct replay_reader *reader, struct replay_frame *frame);
/* The frame of that number. Takes the lock of the replay to look into its index. */
enum replay_result replay_reader_get(struct replay_reader *reader, struct replay *replay,
                                     uint64_t number, struct replay_frame *frame);
/* After REPLAY_END: looks whether the file has grown. */
bool replay_reader_again(struct replay_reader *reader);

/* replay_past.c */
void replay_past_start(struct replay_past *past);
void replay_past_free(struct replay_past *past);
/* A frame is shown. */
void replay_past_show(struct replay *replay, const struct snapshot *snapshot);
/* Reads a slice of the past that is being filled. */
void replay_past_fill(struct replay *replay);

/* replay_player.c */
void replay_player_run(void *replay);
bool replay_player_first(struct replay *replay, struct problem *problem);

/* replay_indexer.c */
void replay_indexer_run(void *replay);

#endif

/* What is where in a recording: places and times of its snapshots ("frames"), and which have
 * events. Made in one pass, in bounded memory: of a very long recording only every second, fourth
 * ... frame is noted (the stride), and the reader walks from there. */
#ifndef SOURCE_REPLAY_INDEX_H
#define SOURCE_REPLAY_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/frame_facts.h"
#include "timeline/recording.h"

enum { REPLAY_NOTED_MAX = 1 << 17, REPLAY_EVENTS_MAX = 1 << 17 };

struct replay_noted {
    struct recording_place place;
    int64_t wall_ns, running_ns;
    int64_t play_ns; /* from the first frame at speed 1, gaps passed over; never goes back */
    uint8_t load;    /* frame_facts.h */
};

struct replay_event_frame {
    uint64_t frame;
    int64_t play_ns;
};

struct replay_index {
    struct {
        struct replay_noted *items; /* frame number / stride */
        size_t count, capacity;
    } noted;
    struct {
        struct replay_event_frame *items;
        size_t count, capacity;
    } events;
    uint64_t stride, frame_count;
    uint64_t event_stride, event_frame_count;
    int64_t play_ns;               /* of the last frame */
    struct frame_facts last;       /* of the last frame */
    struct recording_place end;    /* where the next line would begin */
    struct recording_place newest; /* of the last frame */
    bool complete;                 /* everything up to the end of the file is in it */
};

void replay_index_start(struct replay_index *index);
void replay_index_free(struct replay_index *index);
void replay_index_add(struct replay_index *index, const struct recording_place *place,
                      const struct frame_facts *facts);
/* Takes over what `from` holds, which is empty then. */
void replay_index_move(struct replay_index *index, struct replay_index *from);

/* The noted frame at or before a frame; NULL: the index does not reach there. */
const struct replay_noted *replay_index_noted(const struct replay_index *index, uint64_t frame);
/* The last noted frame that is played at or before `play_ns`: its place in `noted`. The index must
 * not be empty. */
size_t replay_index_at_play(const struct replay_index *index, int64_t play_ns);
/* The one that was taken nearest to `wall_ns`. */
size_t replay_index_at_wall(const struct replay_index *index, int64_t wall_ns);
/* The frame with events that comes `count` after (before) a frame; false: there is none. */
bool replay_index_event(const struct replay_index *index, uint64_t frame, int count,
                        uint64_t *found);
/* How many frames with events come up to this one. */
uint64_t replay_index_events_to(const struct replay_index *index, uint64_t frame);

#endif

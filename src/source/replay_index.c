#include "source/replay_index.h"

#include "base/vector.h"
#include "snapshot/snapshot.h"

void replay_index_start(struct replay_index *index)
{
    index->noted.count = index->events.count = 0;
    index->stride = index->event_stride = 1;
    index->frame_count = index->event_frame_count = 0;
    index->play_ns = 0;
    index->last = (struct frame_facts){.wall_ns = TIME_UNKNOWN};
    index->end = index->newest = (struct recording_place){.line = 1};
    index->complete = false;
}

void replay_index_free(struct replay_index *index)
{
    VECTOR_FREE(&index->noted);
    VECTOR_FREE(&index->events);
}

void replay_index_move(struct replay_index *index, struct replay_index *from)
{
    replay_index_free(index);
    *index = *from;
    *from = (struct replay_index){.stride = 1, .event_stride = 1};
    replay_index_start(from);
}

/* Leaves every second one out. */
static void thin_noted(struct replay_index *index)
{
    for (size_t i = 0; 2 * i < index->noted.count; i++) {
        index->noted.items[i] = index->noted.items[2 * i];
    }
    index->noted.count = (index->noted.count + 1) / 2;
    index->stride *= 2;
}

static void thin_events(struct replay_index *index)
{
    for (size_t i = 0; 2 * i < index->events.count; i++) {
        index->events.items[i] = index->events.items[2 * i];
    }
    index->events.count = (index->events.count + 1) / 2;
    index->event_stride *= 2;
}

void replay_index_add(struct replay_index *index, const struct recording_place *place,
                      const struct frame_facts *facts)
{
    uint64_t frame = index->frame_count++;
    if (frame > 0) {
        struct frame_step step = frame_step(&index->last, facts);
        int64_t play_ns;
        bool fits = !__builtin_add_overflow(index->play_ns, step.wait_ns, &play_ns);
        index->play_ns = fits ? play_ns : index->play_ns;
    }
    index->last = *facts;
    index->newest = *place;
    if (frame % index->stride == 0) {
        if (index->noted.count == REPLAY_NOTED_MAX) {
            thin_noted(index);
        }
        const struct replay_noted noted = {*place, facts->wall_ns, facts->running_ns,
                                           index->play_ns, facts->load};
        VECTOR_PUSH(&index->noted, noted);
    }
    if (facts->has_events && index->event_frame_count++ % index->event_stride == 0) {
        if (index->events.count == REPLAY_EVENTS_MAX) {
            thin_events(index);
        }
        const struct replay_event_frame event = {frame, index->play_ns};
        VECTOR_PUSH(&index->events, event);
    }
}

const struct replay_noted *replay_index_noted(const struct replay_index *index, uint64_t frame)
{
    size_t at = (size_t)(frame / index->stride);
    return frame < index->frame_count && at < index->noted.count ? &index->noted.items[at] : NULL;
}

size_t replay_index_at_play(const struct replay_index *index, int64_t play_ns)
{
    size_t low = 0, high = index->noted.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (index->noted.items[middle].play_ns <= play_ns) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t apart(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* The wall clock may have been set: the frames need not be in its order. */
size_t replay_index_at_wall(const struct replay_index *index, int64_t wall_ns)
{
    size_t best = 0;
    for (size_t i = 1; i < index->noted.count; i++) {
        if (apart(index->noted.items[i].wall_ns, wall_ns) <
            apart(index->noted.items[best].wall_ns, wall_ns)) {
            best = i;
        }
    }
    return best;
}

/* How many of the noted events are at frames up to this one. */
static size_t events_up_to(const struct replay_index *index, uint64_t frame)
{
    size_t low = 0, high = index->events.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->events.items[middle].frame <= frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool replay_index_event(const struct replay_index *index, uint64_t frame, int count,
                        uint64_t *found)
{
    size_t up_to = events_up_to(index, frame);
    bool is_one = up_to > 0 && index->events.items[up_to - 1].frame == frame;
    /* From a frame between two events, the one before it is one step back. */
    int64_t at = (int64_t)up_to - 1 + count + (count < 0 && !is_one ? 1 : 0);
    if (count == 0 || at < 0 || at >= (int64_t)index->events.count) {
        return false;
    }
    *found = index->events.items[at].frame;
    return true;
}

uint64_t replay_index_events_to(const struct replay_index *index, uint64_t frame)
{
    return (uint64_t)events_up_to(index, frame) * index->event_stride;
}

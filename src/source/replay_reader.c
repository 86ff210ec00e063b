#include "source/replay_parts.h"

bool replay_reader_open(struct replay_reader *reader, const char *path, struct problem *problem)
{
    *reader = (struct replay_reader){.recording = recording_open(path, problem)};
    reader->scanner = reader->recording ? frame_scanner_new() : NULL;
    if (reader->recording) {
        recording_follow(reader->recording);
    }
    return reader->recording != NULL;
}

void replay_reader_close(struct replay_reader *reader)
{
    recording_close(&reader->recording);
    scanner_free(&reader->scanner);
}

enum replay_result replay_reader_next(struct replay_reader *reader, struct replay_frame *frame)
{
    for (;;) {
        switch (recording_next(reader->recording, &frame->line, &reader->problem)) {
        case RECORDING_END:
        case RECORDING_FAILED:
            return REPLAY_END;
        case RECORDING_BAD:
            continue;
        case RECORDING_LINE:
            break;
        }
        /* A last line without an end is given again after the file has grown. */
        if (reader->has_line &&
            !recording_place_is_before(&reader->last_place, &frame->line.place)) {
            continue;
        }
        if (frame_facts_read(reader->scanner, frame->line.text, &frame->facts)) {
            reader->has_line = true;
            reader->last_place = frame->line.place;
            frame->number = reader->next++;
            return REPLAY_FRAME;
        }
        if (frame->line.unended) {
            recording_skip_torn(reader->recording);
            return REPLAY_END;
        }
        problem_set(&reader->problem, "%.200s:%llu: this is no snapshot; passed over",
                    recording_name(reader->recording), (unsigned long long)frame->line.place.line);
    }
}

/* Goes to the noted frame at or before `number`, unless going on from here is shorter. */
static enum replay_result approach(struct replay_reader *reader, struct replay *replay,
                                   uint64_t number, int64_t *wall_ns)
{
    *wall_ns = TIME_UNKNOWN;
    lock_enter(replay->lock);
    const struct replay_noted *found = replay_index_noted(&replay->index, number);
    uint64_t first = number - number % replay->index.stride;
    struct replay_noted noted = found ? *found : (struct replay_noted){.load = 0};
    lock_leave(replay->lock);
    if (reader->next <= number && (!found || reader->next >= first)) {
        return found || reader->next == number ? REPLAY_FRAME : REPLAY_NOT_YET;
    }
    if (!found) {
        return REPLAY_NOT_YET;
    }
    if (!recording_seek(reader->recording, &noted.place, &reader->problem)) {
        return REPLAY_WRONG_INDEX;
    }
    reader->next = first;
    reader->has_line = false;
    *wall_ns = noted.wall_ns;
    return REPLAY_FRAME;
}

enum replay_result replay_reader_get(struct replay_reader *reader, struct replay *replay,
                                     uint64_t number, struct replay_frame *frame)
{
    int64_t wall_ns;
    enum replay_result result = approach(reader, replay, number, &wall_ns);
    while (result == REPLAY_FRAME) {
        result = replay_reader_next(reader, frame);
        bool jumped = wall_ns != TIME_UNKNOWN;
        if (jumped && (result != REPLAY_FRAME || frame->facts.wall_ns != wall_ns)) {
            result = REPLAY_WRONG_INDEX;
        }
        wall_ns = TIME_UNKNOWN;
        if (result == REPLAY_FRAME && frame->number == number) {
            break;
        }
    }
    if (result == REPLAY_WRONG_INDEX) {
        reader->next = UINT64_MAX; /* wherever it is */
    }
    return result;
}

bool replay_reader_again(struct replay_reader *reader)
{
    struct recording_place end = recording_end_place(reader->recording);
    return recording_has_grown(reader->recording) &&
           recording_seek(reader->recording, &end, &reader->problem);
}

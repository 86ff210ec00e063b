#include "timeline/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/lines.h"
#include "base/vector.h"
#include "snapshot/json.h"
#include "timeline/recording_input.h"
#include "timeline/recording_parts.h"

enum { FILL_BYTES = 256 << 10 };

struct recording {
    struct recording_input *input;
    char *name;
    char *bytes; /* bytes[begin] to bytes[end] are read and not given out yet */
    size_t capacity, begin, end;
    size_t searched;             /* up to here there is no line end */
    struct recording_place next; /* of bytes[begin] */
    /* Of bytes[filled], where the last filling began: all behind it is of one frame. */
    struct input_place fill_place;
    size_t filled;
    bool at_end;
    bool follows;
    char *first_name;                   /* as it was opened */
    uint32_t part;                      /* at hand, from 0 */
    int64_t bytes_before, bytes_behind; /* of the parts before it and behind it */
    size_t last_begin, last_size;       /* the newest line that was given out, while it is there */
    bool last_is_there;
    struct recording_clock last_clock; /* of the line before `last_place` */
    struct recording_place last_place;
    bool too_long; /* what is left of the line at `begin` is to be passed over */
    struct problem warning;
};

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(memory_new(size), text, size);
}

struct recording *recording_open(const char *path, struct problem *problem)
{
    char *name = copy(path);
    struct recording_input *input = input_open(name, problem);
    if (!input) {
        free(name);
        return NULL;
    }
    struct recording *recording = memory_new(sizeof *recording);
    recording->input = input;
    recording->name = name;
    recording->first_name = copy(path);
    recording->next.line = 1;
    return recording;
}

void recording_close(struct recording **closing)
{
    struct recording *recording = *closing;
    *closing = NULL;
    if (recording) {
        input_close(&recording->input);
        free(recording->bytes);
        free(recording->name);
        free(recording->first_name);
        free(recording);
    }
}

/* More text behind what is there. Only called while no whole line is left, so that what was there
 * is one line, whose place is known. */
static bool fill(struct recording *recording, struct problem *problem)
{
    size_t held = recording->end - recording->begin, got;
    if (held > 0) {
        recording->last_is_there = false;
        memmove(recording->bytes, recording->bytes + recording->begin, held);
    }
    recording->searched -= recording->begin;
    recording->begin = 0;
    recording->end = recording->filled = held;
    recording->bytes = vector_reserve(recording->bytes, &recording->capacity, held + FILL_BYTES, 1);
    if (!input_read(recording->input, recording->bytes + held, FILL_BYTES, &got,
                    &recording->fill_place, problem)) {
        return false;
    }
    if (held == 0 && got > 0 && !recording->too_long) {
        recording->next.offset = recording->fill_place.offset;
        recording->next.inside = recording->fill_place.inside;
    }
    recording->end += got;
    recording->last_is_there &= got == 0;
    recording->at_end = got == 0;
    return true;
}

/* Moves the beginning of what is left to `to`, behind a line. */
static void advance(struct recording *recording, size_t to)
{
    int64_t step = (int64_t)(to - recording->filled);
    struct input_place place = recording->fill_place;
    bool compressed = input_is_compressed(recording->input);
    recording->begin = recording->searched = to;
    recording->next.offset = place.offset + (compressed ? 0 : step);
    recording->next.inside = compressed ? place.inside + step : 0;
    recording->next.line++;
}

/* The line end behind `begin`; NULL: none is there yet. */
static const char *find_line_end(struct recording *recording)
{
    size_t unsearched = recording->end - recording->searched;
    const char *end =
        unsearched ? memchr(recording->bytes + recording->searched, '\n', unsearched) : NULL;
    recording->searched = recording->end;
    return end;
}

static enum recording_result give_out(struct recording *recording, size_t end, bool ended,
                                      struct recording_line *line, struct problem *problem)
{
    bool bad = recording->too_long;
    line->text = (struct raw_text){recording->bytes + recording->begin, end - recording->begin};
    if (line->text.length > 0 && line->text.bytes[line->text.length - 1] == '\r') {
        line->text.length--;
    }
    line->place = recording->next;
    line->unended = !ended;
    recording->last_begin = recording->begin;
    recording->last_size = line->text.length;
    recording->last_is_there = ended && !bad && raw_trim(line->text).length > 0;
    recording->too_long = false;
    if (ended) {
        advance(recording, end + 1);
    } else {
        recording->begin = recording->searched = end;
    }
    if (bad) {
        problem_set(problem, "%.200s:%llu:1: the line is longer than 64 MiB", recording->name,
                    (unsigned long long)line->place.line);
    }
    return bad ? RECORDING_BAD : RECORDING_LINE;
}

/* A line, blank ones included. */
static enum recording_result next_line(struct recording *recording, struct recording_line *line,
                                       struct problem *problem)
{
    for (;;) {
        const char *end = find_line_end(recording);
        if (end) {
            return give_out(recording, (size_t)(end - recording->bytes), true, line, problem);
        }
        if (recording->end - recording->begin > RECORDING_LINE_MAX) {
            recording->too_long = true;
            recording->begin = recording->end;
        }
        if (recording->at_end) {
            break;
        }
        if (!fill(recording, problem)) {
            return RECORDING_FAILED;
        }
    }
    if (input_is_torn(recording->input)) {
        recording_skip_torn(recording);
        return RECORDING_END;
    }
    return recording->end > recording->begin || recording->too_long
               ? give_out(recording, recording->end, false, line, problem)
               : RECORDING_END;
}

static void measure_parts(struct recording *recording)
{
    char *name;
    recording->bytes_before = recording->bytes_behind = 0;
    for (uint32_t i = 0;
         i < RECORDING_PARTS_MAX && (name = recording_part_find(recording->first_name, i)) != NULL;
         i++) {
        int64_t size = file_size(name);
        size = size > 0 ? size : 0;
        recording->bytes_before += i < recording->part ? size : 0;
        recording->bytes_behind += i > recording->part ? size : 0;
        free(name);
    }
}

void recording_follow(struct recording *recording)
{
    recording->follows = recording_can_seek(recording);
    if (recording->follows) {
        measure_parts(recording);
    }
}

/* Takes over the file of another recording, from its start. */
static bool take_part(struct recording *recording, struct recording *other, uint32_t part,
                      struct problem *problem)
{
    const struct recording_place start = {.line = 1, .part = part};
    struct recording_input *input = recording->input;
    char *name = recording->name;
    recording->input = other->input;
    recording->name = other->name;
    recording->part = part;
    other->input = input;
    other->name = name;
    measure_parts(recording);
    return recording_seek(recording, &start, problem);
}

static bool go_to_part(struct recording *recording, uint32_t part, struct problem *problem)
{
    char *name = recording_part_find(recording->first_name, part);
    struct recording *other = name ? recording_open(name, problem) : NULL;
    bool good = other ? take_part(recording, other, part, problem)
                      : problem_set(problem, "a part of %.300s is gone", recording->first_name);
    recording_close(&other);
    free(name);
    return good;
}

/* What the last line said of its time, also when it was given out before. */
static struct recording_clock end_clock(struct recording *recording)
{
    if (recording->last_is_there) {
        const struct raw_text line = {recording->bytes + recording->last_begin,
                                      recording->last_size};
        recording->last_clock = recording_clock_read(line);
        recording->last_place = recording->next;
    } else if (recording_place_is_before(&recording->last_place, &recording->next)) {
        recording->last_clock.known = false;
    }
    return recording->last_clock;
}

/* At the end of a part: the next one, when it goes on with it. */
static bool go_on(struct recording *recording)
{
    struct problem ignored;
    struct recording_line line;
    struct recording_clock last = end_clock(recording);
    uint32_t part = recording->part + 1;
    char *name = last.known && !input_is_torn(recording->input)
                     ? recording_part_find(recording->first_name, part)
                     : NULL;
    struct recording *next = name ? recording_open(name, &ignored) : NULL;
    bool good = false;
    if (next && recording_can_seek(next) &&
        recording_next(next, &line, &ignored) == RECORDING_LINE) {
        struct recording_clock first = recording_clock_read(line.text);
        good = recording_clock_goes_on(&last, &first);
        if (!good) {
            problem_set(&recording->warning,
                        "%.300s does not go on where %.300s ends, and is not read; name it too",
                        next->name, recording->name);
        }
        good = good && take_part(recording, next, part, &ignored);
    }
    recording_close(&next);
    free(name);
    return good;
}

enum recording_result recording_next(struct recording *recording, struct recording_line *line,
                                     struct problem *problem)
{
    enum recording_result result;
    do {
        result = next_line(recording, line, problem);
    } while ((result == RECORDING_LINE && raw_trim(line->text).length == 0) ||
             (result == RECORDING_END && recording->follows && go_on(recording)));
    return result;
}

enum recording_result recording_next_snapshot(struct recording *recording,
                                              struct snapshot_pool *pool,
                                              struct recording_line *line,
                                              struct snapshot **snapshot, struct problem *problem)
{
    struct recording_line own;
    struct recording_line *at = line ? line : &own;
    *snapshot = NULL;
    enum recording_result result = recording_next(recording, at, problem);
    if (result != RECORDING_LINE) {
        return result;
    }
    *snapshot = snapshot_read(at->text.bytes, at->text.length, recording->name, at->place.line,
                              pool, problem);
    if (*snapshot) {
        return RECORDING_LINE;
    }
    if (!at->unended) {
        return RECORDING_BAD;
    }
    recording_skip_torn(recording);
    return RECORDING_END;
}

void recording_skip_torn(struct recording *recording)
{
    problem_set(&recording->warning, "%.300s:%llu: the last line is torn and was skipped",
                recording->name, (unsigned long long)recording->next.line);
}

const char *recording_warning(const struct recording *recording)
{
    return recording->warning.text;
}

bool recording_can_seek(const struct recording *recording)
{
    return input_can_seek(recording->input);
}

bool recording_seek(struct recording *recording, const struct recording_place *place,
                    struct problem *problem)
{
    const struct input_place to = {place->offset, place->inside};
    if (place->part != recording->part && !go_to_part(recording, place->part, problem)) {
        return false;
    }
    recording->last_is_there = false;
    recording->begin = recording->end = recording->searched = recording->filled = 0;
    recording->at_end = recording->too_long = false;
    recording->warning.text[0] = '\0';
    recording->next = *place;
    return input_seek(recording->input, to, problem);
}

struct recording_place recording_end_place(const struct recording *recording)
{
    return recording->next;
}

const char *recording_name(const struct recording *recording)
{
    return recording->name;
}

bool recording_is_compressed(const struct recording *recording)
{
    return input_is_compressed(recording->input);
}

int64_t recording_size_bytes(const struct recording *recording)
{
    int64_t size = input_size_bytes(recording->input);
    return size < 0 ? size : recording->bytes_before + size + recording->bytes_behind;
}

int64_t recording_read_bytes(const struct recording *recording)
{
    return recording->bytes_before + input_read_bytes(recording->input);
}

bool recording_has_grown(const struct recording *recording)
{
    char *path =
        recording->follows ? recording_part_find(recording->first_name, recording->part + 1) : NULL;
    bool next = path != NULL;
    free(path);
    return next || input_size_bytes(recording->input) > input_read_bytes(recording->input);
}

bool recording_place_is_before(const struct recording_place *place,
                               const struct recording_place *other)
{
    return place->part != other->part ? place->part < other->part : place->line < other->line;
}

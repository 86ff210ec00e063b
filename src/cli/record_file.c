#include "cli/record_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/zero_tail.h"
#include "timeline/recording_encoder.h"
#include "timeline/recording_parts.h"

struct record_file {
    char *first_path, *path;
    unsigned part; /* from 1 */
    int64_t size_limit, written;
    struct append *append;
    struct recording_encoder *encoder; /* NULL: plain */
    bool frame_is_open;                /* what is in the file ends within a frame */
    struct buffer piece;
};

static enum append_tail look_at_lines(const struct append_format *format,
                                      const struct append_reader *reader, int64_t size,
                                      struct append_mending *mending)
{
    return append_tail_look(reader, size, format->context, &mending->end);
}

static enum append_tail look_at_frames(const struct append_format *format,
                                       const struct append_reader *reader, int64_t size,
                                       struct append_mending *mending)
{
    (void)format;
    struct recording_bytes bytes = {reader->read, reader->context, size};
    enum recording_tail tail = recording_tail_look(&bytes, &mending->end);
    if (tail == RECORDING_TAIL_FOREIGN) {
        bytes.size = zero_tail_cut(reader->read, reader->context, size);
        tail = bytes.size < size ? recording_tail_look(&bytes, &mending->end) : tail;
    }
    switch (tail) {
    case RECORDING_TAIL_WHOLE:
        return bytes.size < size ? APPEND_TAIL_TORN : APPEND_TAIL_WHOLE;
    case RECORDING_TAIL_OPEN:
        mending->closing = RECORDING_FRAME_END;
        mending->closing_size = RECORDING_FRAME_END_SIZE;
        return APPEND_TAIL_TORN;
    case RECORDING_TAIL_TORN:
        return APPEND_TAIL_TORN;
    case RECORDING_TAIL_FOREIGN:
        break;
    }
    return APPEND_TAIL_FOREIGN;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool open_part(struct record_file *file, struct problem *problem)
{
    static const struct append_format lines = {.look = look_at_lines,
                                               .context = "{\"schema\":\"gputaskman/"};
    static const struct append_format frames = {.look = look_at_frames, .alone = true};
    free(file->path);
    file->path = recording_part_path(file->first_path, file->part);
    file->append = append_open(file->path, file->encoder ? &frames : &lines, problem);
    file->frame_is_open = false;
    return file->append != NULL;
}

static bool is_full(const struct record_file *file)
{
    return file->size_limit > 0 && append_size_bytes(file->append) >= file->size_limit;
}

/* Ends the part at work. What cannot be written is no loss: readers take an open frame. */
static bool close_part(struct record_file *file, struct problem *problem)
{
    struct problem ignored;
    if (file->append && file->frame_is_open) {
        append_piece(file->append, RECORDING_FRAME_END, RECORDING_FRAME_END_SIZE, &ignored);
    }
    file->frame_is_open = false;
    return append_close(&file->append, problem);
}

struct record_file *record_file_open(const char *path, int64_t size_limit, struct problem *problem)
{
    struct record_file *file = memory_new(sizeof *file);
    bool is_output = strcmp(path, "-") == 0;
    file->first_path = memory_new(strlen(path) + 1);
    memcpy(file->first_path, path, strlen(path) + 1);
    file->size_limit = is_output ? 0 : size_limit;
    file->encoder = !is_output && ends_with(path, ".zst") ? encoder_new() : NULL;
    do {
        file->part++;
    } while (open_part(file, problem) && is_full(file) && close_part(file, problem));
    if (!file->append) {
        struct problem ignored;
        record_file_close(&file, &ignored);
    }
    return file;
}

int64_t record_file_cut_bytes(const struct record_file *file)
{
    return append_cut_bytes(file->append);
}

/* A part that holds nothing yet takes a line of any size. */
static bool has_room(const struct record_file *file, size_t size)
{
    int64_t used = file->size_limit > 0 ? append_size_bytes(file->append) : 0;
    return used == 0 || used + (int64_t)size + RECORDING_FRAME_END_SIZE <= file->size_limit;
}

static bool begin_next_part(struct record_file *file, struct problem *problem)
{
    do {
        if (!close_part(file, problem)) {
            return false;
        }
        file->part++;
    } while (open_part(file, problem) && is_full(file));
    return file->append != NULL;
}

enum append_result record_file_write(struct record_file *file, const char *line, size_t size,
                                     struct problem *problem)
{
    const char *bytes = line;
    size_t count = size;
    for (bool again = true; again;) {
        if (file->encoder) {
            file->piece.size = 0;
            encoder_add(file->encoder, line, size, &file->piece);
            bytes = file->piece.bytes;
            count = file->piece.size;
        }
        again = !has_room(file, count);
        if (again) {
            if (!begin_next_part(file, problem)) {
                return APPEND_FAILED;
            }
            if (file->encoder) {
                encoder_restart(file->encoder);
            }
        }
    }
    enum append_result result = append_piece(file->append, bytes, count, problem);
    if (result == APPEND_OK) {
        file->written += (int64_t)count;
        file->frame_is_open = file->encoder && encoder_is_in_frame(file->encoder);
    } else if (file->encoder) {
        encoder_restart(file->encoder); /* its frame is not what is in the file */
    }
    return result;
}

const char *record_file_path(const struct record_file *file)
{
    return file->path;
}

int64_t record_file_bytes(const struct record_file *file)
{
    return file->written;
}

bool record_file_close(struct record_file **closing, struct problem *problem)
{
    struct record_file *file = *closing;
    *closing = NULL;
    if (!file) {
        return true;
    }
    bool valid = close_part(file, problem);
    encoder_free(&file->encoder);
    buffer_free(&file->piece);
    free(file->first_path);
    free(file->path);
    free(file);
    return valid;
}

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/fatal.h"
#include "timeline/recording_encoder.h"

/* RFC 8878, 3.1.1. */
enum {
    MAGIC_BYTES = 4,
    FRAME_HEADER_MAX = 18,
    BLOCK_HEADER_BYTES = 3,
    BLOCK_MAX = 128 << 10,
    BLOCK_RLE = 1,
    BLOCK_RESERVED = 3,
    CHECKSUM_BYTES = 4,
};

static const char line_start[] = "{\"schema\":\"gputaskman/";

struct frame {
    int64_t begin, first_block;
    bool has_checksum;
};

enum step { STEP_GOOD, STEP_CUT, STEP_FOREIGN };

static bool read_at(const struct recording_bytes *file, int64_t at, void *bytes, size_t size)
{
    return file->read(file->context, at, bytes, size);
}

static enum step read_frame_header(const struct recording_bytes *file, struct frame *frame)
{
    static const unsigned char magic[MAGIC_BYTES] = {0x28, 0xb5, 0x2f, 0xfd};
    static const unsigned char dictionary_bytes[4] = {0, 1, 2, 4};
    unsigned char bytes[FRAME_HEADER_MAX] = {0};
    int64_t left = file->size - frame->begin;
    size_t got = left < FRAME_HEADER_MAX ? (size_t)left : FRAME_HEADER_MAX;
    if (!read_at(file, frame->begin, bytes, got) ||
        memcmp(bytes, magic, got < MAGIC_BYTES ? got : MAGIC_BYTES) != 0) {
        return STEP_FOREIGN;
    }
    unsigned descriptor = bytes[MAGIC_BYTES];
    bool single = descriptor >> 5 & 1;
    unsigned size_flag = descriptor >> 6;
    unsigned size_bytes = size_flag == 0 ? single : 1U << size_flag;
    unsigned header = MAGIC_BYTES + 1U + (single ? 0 : 1) + dictionary_bytes[descriptor & 3];
    header += size_bytes;
    frame->first_block = frame->begin + header;
    frame->has_checksum = descriptor >> 2 & 1;
    return (int64_t)header > left ? STEP_CUT : STEP_GOOD;
}

/* Behind the block at *at; *last: it ends the frame. */
static enum step step_block(const struct recording_bytes *file, int64_t *at, bool *last)
{
    unsigned char b[BLOCK_HEADER_BYTES];
    if (file->size - *at < BLOCK_HEADER_BYTES) {
        return STEP_CUT;
    }
    if (!read_at(file, *at, b, sizeof b)) {
        return STEP_FOREIGN;
    }
    unsigned header = b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16;
    unsigned type = header >> 1 & 3, size = header >> 3;
    if (type == BLOCK_RESERVED || size > BLOCK_MAX) {
        return STEP_FOREIGN;
    }
    *last = header & 1;
    *at += BLOCK_HEADER_BYTES + (type == BLOCK_RLE ? 1 : size);
    return *at > file->size ? STEP_CUT : STEP_GOOD;
}

/* Behind the frame. */
static enum step step_frame(const struct recording_bytes *file, struct frame *frame, int64_t *end)
{
    enum step step = read_frame_header(file, frame);
    bool last = false;
    *end = frame->first_block;
    while (step == STEP_GOOD && !last) {
        step = step_block(file, end, &last);
    }
    if (step == STEP_GOOD && frame->has_checksum) {
        *end += CHECKSUM_BYTES;
        step = *end > file->size ? STEP_CUT : STEP_GOOD;
    }
    return step;
}

struct unended {
    ZSTD_DStream *decoder;
    char *in, *out;
    char start[sizeof line_start]; /* of the text */
    size_t start_size;
    bool at_line_end; /* of all text so far */
};

static struct unended unended_new(void)
{
    struct unended unended = {
        .decoder = ZSTD_createDStream(),
        .in = memory_new(BLOCK_MAX + FRAME_HEADER_MAX),
        .out = memory_new(BLOCK_MAX),
    };
    if (!unended.decoder) {
        fatal_out_of_memory(1);
    }
    return unended;
}

static void unended_free(struct unended *unended)
{
    ZSTD_freeDStream(unended->decoder);
    free(unended->in);
    free(unended->out);
}

static bool begins_with_a_line(const struct unended *unended)
{
    size_t length = sizeof line_start - 1;
    size_t known = unended->start_size < length ? unended->start_size : length;
    return memcmp(unended->start, line_start, known) == 0;
}

/* Gives the decoder a part of the frame; false: it is damaged. */
static bool decode(struct unended *unended, size_t size)
{
    ZSTD_inBuffer in = {unended->in, size, 0};
    for (;;) {
        ZSTD_outBuffer out = {unended->out, BLOCK_MAX, 0};
        if (ZSTD_isError(ZSTD_decompressStream(unended->decoder, &out, &in))) {
            return false;
        }
        for (size_t i = 0; i < out.pos && unended->start_size < sizeof unended->start; i++) {
            unended->start[unended->start_size++] = unended->out[i];
        }
        if (out.pos > 0) {
            unended->at_line_end = unended->out[out.pos - 1] == '\n';
        }
        if (in.pos == in.size && out.pos < out.size) {
            return true;
        }
    }
}

/* Behind the last block with which a line ends; frame->begin: there is none. False: damaged. */
static bool find_line_end(const struct recording_bytes *file, const struct frame *frame,
                          struct unended *unended, int64_t *end)
{
    int64_t from = frame->begin, at = frame->first_block;
    enum step step = STEP_GOOD;
    bool last;
    *end = frame->begin;
    while (step == STEP_GOOD) {
        size_t size = (size_t)(at - from);
        if (!read_at(file, from, unended->in, size) || !decode(unended, size)) {
            return false;
        }
        if (unended->at_line_end) {
            *end = at;
        }
        from = at;
        step = step_block(file, &at, &last);
    }
    return step == STEP_CUT;
}

/* What an unended frame is worth. */
static enum recording_tail look_into(const struct recording_bytes *file, const struct frame *frame,
                                     int64_t *end)
{
    struct unended unended = unended_new();
    bool good = find_line_end(file, frame, &unended, end) && begins_with_a_line(&unended);
    unended_free(&unended);
    return !good                  ? RECORDING_TAIL_FOREIGN
           : *end == frame->begin ? RECORDING_TAIL_TORN
                                  : RECORDING_TAIL_OPEN;
}

/* Whether the first block of a whole frame is the beginning of a recording's text. */
static bool frame_is_ours(const struct recording_bytes *file, const struct frame *frame)
{
    struct unended unended = unended_new();
    int64_t end = frame->first_block;
    bool last;
    bool ours = step_block(file, &end, &last) == STEP_GOOD &&
                read_at(file, frame->begin, unended.in, (size_t)(end - frame->begin)) &&
                decode(&unended, (size_t)(end - frame->begin)) && begins_with_a_line(&unended);
    unended_free(&unended);
    return ours;
}

enum recording_tail recording_tail_look(const struct recording_bytes *file, int64_t *end)
{
    struct frame frame = {0};
    *end = 0;
    while (*end < file->size) {
        int64_t next;
        frame.begin = *end;
        switch (step_frame(file, &frame, &next)) {
        case STEP_GOOD:
            if (frame.begin == 0 && !frame_is_ours(file, &frame)) {
                return RECORDING_TAIL_FOREIGN;
            }
            *end = next;
            break;
        case STEP_FOREIGN:
            return RECORDING_TAIL_FOREIGN;
        case STEP_CUT:
            if (frame.first_block > file->size) {
                return RECORDING_TAIL_TORN; /* within its header */
            }
            return frame.has_checksum ? RECORDING_TAIL_FOREIGN : look_into(file, &frame, end);
        }
    }
    return RECORDING_TAIL_WHOLE;
}

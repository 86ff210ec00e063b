/* Lines compressed so that a crash loses none that was written: each is flushed by itself, within
 * frames of zstd that are small enough to be decoded for one line (recording.h). Frames carry no
 * checksum, so that one that was left open can be ended by RECORDING_FRAME_END alone. */
#ifndef TIMELINE_RECORDING_ENCODER_H
#define TIMELINE_RECORDING_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/json.h"

/* An empty last block (RFC 8878, 3.1.1.2). */
#define RECORDING_FRAME_END "\001\000\000"
enum { RECORDING_FRAME_END_SIZE = 3 };

struct recording_encoder;

struct recording_encoder *encoder_new(void);
void encoder_free(struct recording_encoder **encoder); /* NULL is allowed */

/* Appends to *out what a line (with its line end) adds to the file. */
void encoder_add(struct recording_encoder *encoder, const char *line, size_t size,
                 struct buffer *out);
/* The frame that the file ends with is not ended yet: RECORDING_FRAME_END would end it. */
bool encoder_is_in_frame(const struct recording_encoder *encoder);
/* The next line begins a frame, whatever was there before. */
void encoder_restart(struct recording_encoder *encoder);

/* How a file ends that lines are to be appended to. */
enum recording_tail {
    RECORDING_TAIL_WHOLE,   /* empty, or with a whole frame */
    RECORDING_TAIL_OPEN,    /* *end is behind the last whole line; the frame is to be ended there */
    RECORDING_TAIL_TORN,    /* *end is behind the last whole frame; nothing is to be ended */
    RECORDING_TAIL_FOREIGN, /* it is no recording of ours, or cannot be read */
};

/* Reads exactly `size` bytes at a place of the file. */
struct recording_bytes {
    bool (*read)(void *context, int64_t at, char *bytes, size_t size);
    void *context;
    int64_t size; /* of the file */
};
enum recording_tail recording_tail_look(const struct recording_bytes *file, int64_t *end);

#endif

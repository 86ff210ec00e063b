/* The text of a recording as a stream of bytes, decompressed where it is compressed. */
#ifndef TIMELINE_RECORDING_INPUT_H
#define TIMELINE_RECORDING_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"

struct recording_input;

/* Where a byte of text stands: recording.h, struct recording_place. */
struct input_place {
    int64_t offset, inside;
};

struct recording_input *input_open(const char *path, struct problem *problem);
void input_close(struct recording_input **input);

/* Fills at most `size` bytes, all from one frame, and says where the first one stands. *got is 0 at
 * the end. False: *problem; nothing more can be read. */
bool input_read(struct recording_input *input, char *bytes, size_t size, size_t *got,
                struct input_place *place, struct problem *problem);
bool input_seek(struct recording_input *input, struct input_place place, struct problem *problem);

/* After the end: the last frame stops within a block, so that text is missing behind what was
 * given. */
bool input_is_torn(const struct recording_input *input);
bool input_can_seek(const struct recording_input *input);
bool input_is_compressed(const struct recording_input *input);
int64_t input_size_bytes(const struct recording_input *input);
int64_t input_read_bytes(const struct recording_input *input);

#endif

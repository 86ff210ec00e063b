/* The language between the program and its adl helper: one request line; an opening line, a line an
 * adapter, and notes for people (gpu/helper). */
#ifndef GPU_ADL_LINES_H
#define GPU_ADL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/adl/adl_device.h"
#include "gpu/helper/record.h"

struct adl_request {
    int64_t running_ns; /* the running clock: what is due */
    bool everything;    /* whatever was read when: one-shot output */
};

void adl_request_write(const struct adl_request *request, char *line, size_t size);
/* False when malformed or of another version. */
bool adl_request_read(struct raw_text line, struct adl_request *request);

/* Without "end". */
void adl_answer_write(const struct adl_opening *opening, const struct adl_device *devices,
                      size_t count, struct record_lines *lines);

struct adl_answer {
    struct adl_opening opening;
    struct adapter_reading *adapters; /* at most ADL_CARDS_MAX */
    size_t adapter_count;
    struct raw_text notes[ADL_CARDS_MAX];
    size_t note_count;
};

/* What it points to goes into the arena. False when anything is malformed or there is too much of
 * it: then nothing of it counts. */
bool adl_answer_read(struct raw_text lines, struct arena *arena, struct adl_answer *answer);

#endif

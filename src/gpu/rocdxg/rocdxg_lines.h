/* The language between the program and its rocdxg helper: one request line, an opening line and a
 * line an adapter (gpu/helper). */
#ifndef GPU_ROCDXG_LINES_H
#define GPU_ROCDXG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/helper/record.h"
#include "gpu/rocdxg/rocdxg_library.h"
#include "reading/adapter.h"

struct rocdxg_request {
    int64_t running_ns; /* the running clock: what is due */
    bool everything;    /* whatever was read when: one-shot output */
};

void rocdxg_request_write(const struct rocdxg_request *request, char *line, size_t size);
/* False when malformed or of another version. */
bool rocdxg_request_read(struct raw_text line, struct rocdxg_request *request);

struct rocdxg_answer {
    struct rocdxg_opening opening;
    const struct adapter_reading *adapters[ROCDXG_DEVICES_MAX];
    size_t adapter_count;
};

/* Without "end". */
void rocdxg_answer_write(const struct rocdxg_answer *answer, struct record_lines *lines);
/* The adapters go into the arena, one after the other. False when anything is malformed or there
 * are too many: then nothing of it counts. */
bool rocdxg_answer_read(struct raw_text lines, struct arena *arena, struct rocdxg_opening *opening,
                        struct adapter_reading **adapters, size_t *count);

#endif

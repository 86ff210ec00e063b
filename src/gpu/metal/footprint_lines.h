/* What our process and the footprint helper (`gputaskman --helper footprint`) say to each other: a
 * request names pids, "footprint 4245 977"; the answer has one line a pid, "4245 3973054464", or
 * "4245 -" where it failed. */
#ifndef GPU_METAL_FOOTPRINT_LINES_H
#define GPU_METAL_FOOTPRINT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/measured.h"

enum { FOOTPRINT_REQUEST_PIDS = 32, FOOTPRINT_REQUEST_SIZE = 512 };

/* Names as many of the pids as fit; how many. */
size_t footprint_request_write(const int64_t *pids, size_t count, char *line, size_t size);
size_t footprint_request_read(struct raw_text line, int64_t pids[FOOTPRINT_REQUEST_PIDS]);
/* The next line of an answer; false at its end, or where it makes no sense. */
bool footprint_answer_next(struct raw_text *rest, int64_t *pid, struct measured *bytes);

#endif

/* Bytes in the order in which they come from something that the user names: a file, a pipe,
 * standard input. Nothing is waited for beyond the time that the caller gives; a device is refused,
 * since it may have no end. */
#ifndef OS_BOUNDED_INPUT_H
#define OS_BOUNDED_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"

struct bounded_input;

/* `path` is UTF-8; "-" is standard input, which may be a terminal. Never waits: a pipe without a
 * writer is at its end. NULL: *problem. */
struct bounded_input *bounded_input_open(const char *path, struct problem *problem);
/* Bytes of a file, when it was opened; -1: it has no size (a pipe, a terminal). */
int64_t bounded_input_size(const struct bounded_input *input);
/* Goes on at this offset; for what has a size. */
bool bounded_input_seek(struct bounded_input *input, int64_t offset, struct problem *problem);

enum bounded_input_result {
    INPUT_BYTES,  /* *length of them, at least one */
    INPUT_END,    /* there are no more */
    INPUT_LATE,   /* none came until then (thread_clock_ns()); on Windows a pipe is waited for */
    INPUT_FAILED, /* *problem says why */
};
enum bounded_input_result bounded_input_read(struct bounded_input *input, char *buffer, size_t size,
                                             int64_t until_ns, size_t *length,
                                             struct problem *problem);
void bounded_input_close(struct bounded_input **input);

#endif

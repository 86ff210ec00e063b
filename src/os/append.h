/* A file that only grows by whole pieces: what was written stays valid, also on a full disk. */
#ifndef OS_APPEND_H
#define OS_APPEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "os/append_tail.h"

struct append;

enum append_result {
    APPEND_OK,
    APPEND_CLOSED, /* the reader of a pipe has gone, or we are asked to leave: end quietly */
    APPEND_FAILED,
};

/* What is appended to. */
struct append_format {
    /* How the file ends. Called only while nobody else is appending. */
    enum append_tail (*look)(const struct append_format *format, const struct append_reader *reader,
                             int64_t size, struct append_mending *mending);
    const void *context; /* of look() */
    bool alone;          /* pieces of two writers must not mix: a second one is refused */
};

/* Opens (creates, mode 0600) the file; "-" is standard output. A torn end is mended; a file that
 * ends within something foreign is refused. Never waits: a pipe without a reader is refused. NULL:
 * *problem. */
struct append *append_open(const char *path, const struct append_format *format,
                           struct problem *problem);
/* How many bytes of a torn piece were cut off. */
int64_t append_cut_bytes(const struct append *append);
/* Bytes of the file now; 0 for what is none. */
int64_t append_size_bytes(const struct append *append);
/* Writes one piece. A file that was removed or cut short meanwhile is a failure. When it does not
 * fit as a whole, the file is cut back to what was there before. A pipe whose reader is slow is
 * waited for until a signal asks us to leave. */
enum append_result append_piece(struct append *append, const char *bytes, size_t size,
                                struct problem *problem);
/* Waits for the disk; false when what was written may not be on it. */
bool append_close(struct append **append, struct problem *problem);

#endif

/* The end of a file of lines that is appended to: where its last whole line ends, and whether what
 * stands behind it is a line that a crash or a full disk has torn. For append_door.c. */
#ifndef OS_APPEND_TAIL_H
#define OS_APPEND_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads exactly `size` bytes at a place of the file; false when they cannot be had. */
struct append_reader {
    bool (*read)(void *context, int64_t at, char *bytes, size_t size);
    void *context;
};

enum append_tail {
    APPEND_TAIL_WHOLE, /* empty, or ends with a line end */
    /* Behind *end stands the beginning of a line that begins with `start`, or zeros. */
    APPEND_TAIL_TORN,
    APPEND_TAIL_FOREIGN, /* it is another's, or cannot be read */
};

/* How a torn end is mended: what lies behind `end` is cut off, and `closing` is written there. */
struct append_mending {
    int64_t end;
    const char *closing;
    size_t closing_size;
};

/* For files of lines. Another's file does not begin with `start`: it is foreign however it ends. */
enum append_tail append_tail_look(const struct append_reader *reader, int64_t size,
                                  const char *start, int64_t *end);

#endif

#include "os/append_tail.h"

#include <string.h>

#include "base/zero_tail.h"

enum { STEP = 4096 };

/* The end of the last whole line: 0 when there is none, -1 when it cannot be read. */
static int64_t whole_end(const struct append_reader *reader, int64_t size)
{
    char bytes[STEP];

    for (int64_t at = size; at > 0;) {
        size_t length = at < STEP ? (size_t)at : STEP;

        at -= (int64_t)length;
        if (!reader->read(reader->context, at, bytes, length))
            return -1;
        for (size_t i = length; i > 0; i--)
            if (bytes[i - 1] == '\n')
                return at + (int64_t)i;
    }
    return 0;
}

/* Whether `start`, or as much of it as fits, stands at a place of the file. */
static bool has_start(const struct append_reader *reader, int64_t size, int64_t at,
                      const char *start)
{
    char bytes[64];
    size_t length = strlen(start);

    if (length > sizeof bytes)
        length = sizeof bytes;
    if (size - at < (int64_t)length)
        length = (size_t)(size - at);
    return reader->read(reader->context, at, bytes, length) && memcmp(bytes, start, length) == 0;
}

enum append_tail append_tail_look(const struct append_reader *reader, int64_t size,
                                  const char *start, int64_t *end)
{
    *end = whole_end(reader, size);
    if (*end < 0 || !has_start(reader, size, 0, start))
        return APPEND_TAIL_FOREIGN;
    if (*end == size)
        return APPEND_TAIL_WHOLE;
    bool zeros = *end > 0 && *end == zero_tail_cut(reader->read, reader->context, size);

    return zeros || has_start(reader, size, *end, start) ? APPEND_TAIL_TORN : APPEND_TAIL_FOREIGN;
}

#include "os/root_lines.h"

#include <string.h>

size_t root_give_lines(char buffer[ROOT_LINE_SIZE], size_t filled, bool at_end,
                       bool (*each)(struct raw_text line, void *context), void *context,
                       bool *go_on)
{
    size_t from = 0;
    while (*go_on && from < filled) {
        const char *end = memchr(buffer + from, '\n', filled - from);
        if (!end && !at_end && (from > 0 || filled < ROOT_LINE_SIZE))
            break;
        size_t length = end ? (size_t)(end - buffer) - from : filled - from;
        *go_on = each((struct raw_text){buffer + from, length}, context);
        from += length + (end != NULL);
    }
    memmove(buffer, buffer + from, filled - from);
    return filled - from;
}

/* Lines out of a buffer that is filled piece by piece. For the doors of os/root.h. */
#ifndef OS_ROOT_LINES_H
#define OS_ROOT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { ROOT_LINE_SIZE = 8192 };

/* Gives the complete lines of buffer[0..filled) away, at the end of the file the last one too, and
 * moves what is left over to the front; returns how many bytes that is. A full buffer without a
 * line's end is given as it is. *go_on becomes false when `each` returns false. */
size_t root_give_lines(char buffer[ROOT_LINE_SIZE], size_t filled, bool at_end,
                       bool (*each)(struct raw_text line, void *context), void *context,
                       bool *go_on);

#endif

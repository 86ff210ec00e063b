#include "os/linux/proc_cmdline.h"

#include <string.h>

struct raw_text cmdline_trim(struct raw_text raw)
{
    while (raw.length > 0 && raw.bytes[raw.length - 1] == '\0')
        raw.length--;
    /* Blanks are padding only in a title, which is one piece without a NUL inside. */
    if (raw.length > 0 && !memchr(raw.bytes, '\0', raw.length))
        while (raw.length > 0 && raw.bytes[raw.length - 1] == ' ')
            raw.length--;
    return raw;
}

bool cmdline_next(struct raw_text *rest, struct raw_text *argument)
{
    if (rest->length == 0)
        return false;
    const char *end = memchr(rest->bytes, '\0', rest->length);
    size_t length = end ? (size_t)(end - rest->bytes) : rest->length;
    *argument = (struct raw_text){rest->bytes, length};
    length += end != NULL;
    rest->bytes += length;
    rest->length -= length;
    return true;
}

/* Building a short text in a fixed buffer: what does not fit is cut at a character. */
#ifndef VIEW_PHRASE_H
#define VIEW_PHRASE_H

#include <stddef.h>

#include "base/text.h"

struct phrase {
    char *out; /* the caller's; NUL-terminated after phrase_start() */
    size_t size, length;
};

struct phrase phrase_start(char *out, size_t size);
void phrase_text(struct phrase *phrase, struct text text);
void phrase_string(struct phrase *phrase, const char *string); /* valid UTF-8 */

#endif

/* Long texts in little room: head and tail stay, the middle goes ("Qwen3-Co…t-Q4_K_M"): the end of
 * a model's or a container's name tells as much as its beginning. */
#ifndef VIEW_TRUNCATE_H
#define VIEW_TRUNCATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Writes `text` in at most `width` cells as NUL-terminated UTF-8 and returns the cells taken. What
 * is cut is said by "…" ("..", with ascii). Never cuts a character or the combining ones after it.
 */
size_t truncate_text(struct text text, size_t width, bool ascii, char *out, size_t size);

#endif

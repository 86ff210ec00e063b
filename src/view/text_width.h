/* How many terminal cells a text takes at the doors to a terminal (screen_put, text_out). */
#ifndef VIEW_TEXT_WIDTH_H
#define VIEW_TEXT_WIDTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* 0, 1 or 2 (base/width.h); 1 for what the doors replace. With `ascii` always 1, since the door
 * writes
 * '?' for all it can't. */
size_t text_width_of(uint32_t code_point, bool ascii);
size_t text_width(struct text text, bool ascii);

#endif

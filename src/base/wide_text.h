/* Texts of Windows: UTF-16, of which not even the well-formedness is promised. Pure. */
#ifndef BASE_WIDE_TEXT_H
#define BASE_WIDE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

/* The text up to its NUL or `limit` units, as UTF-8 in the arena; a lone half of a pair becomes
 * U+FFFD. Bytes NULL for an empty one. `wide` need not be aligned. */
struct raw_text wide_text(struct arena *arena, const void *wide, size_t limit);

#endif

/* How many columns a character takes on a terminal. Own tables, because wcwidth() depends on the
 * locale and is not everywhere; the curses door replaces what its library sees otherwise. */
#ifndef BASE_WIDTH_H
#define BASE_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

/* 0 (combining marks, invisible format characters), 1 or 2 (East Asian wide, emoji). Control
 * characters are not asked for: text_is_unsafe() comes first. */
int width_of(uint32_t code_point);

/* At most so many marks are drawn over one character. */
enum { WIDTH_MARKS_MOST = 2 };
/* Of a character of width 0: whether it is a mark over the one before. The others (joiners,
 * variation selectors, jamo) change the width of what they join on some terminals: drop them. */
bool width_is_mark(uint32_t code_point);

#endif

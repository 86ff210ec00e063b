/* UTF-16, as Windows speaks it, and UTF-8, as everything here does. For doors. */
#ifndef OS_WINDOWS_WIDE_H
#define OS_WINDOWS_WIDE_H

#include <stddef.h>
#include <wchar.h>

#include "base/arena.h"
#include "base/text.h"

/* A copy in the arena, NUL-terminated; halves of surrogate pairs become U+FFFD. bytes NULL when
 * there is nothing to copy. */
struct raw_text wide_to_utf8(struct arena *arena, const wchar_t *units, size_t count);

/* NUL-terminated; NULL when it is no UTF-8. The caller frees it. */
wchar_t *wide_of_utf8(const char *utf8);

#endif

/* An adapter's name in little room: what says least goes first ("AMD Radeon RX 7800 XT", "Radeon RX
 * 7800 XT", "7800 XT"). */
#ifndef VIEW_ADAPTER_NAME_H
#define VIEW_ADAPTER_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The name without the vendor, then without "Graphics" at its end, then without its brand, as far
 * as `width` cells ask for it; then as truncate_text(), which also tells what is written. */
size_t adapter_short_name(struct text name, size_t width, bool ascii, char *out, size_t size);

#endif

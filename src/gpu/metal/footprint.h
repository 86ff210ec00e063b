/* What the system's tool `footprint -p PID` prints, as text or as JSON (-j): one process's memory
 * by category. Its graphics memory is the sum of the dirty size of every category whose name ends
 * in
 * "(graphics)"; IOSurface and "IOAccelerator" without it are other things.
 *
 * Text has sizes of 1 to 4 digits with a unit of 1024s, so each row may be off by half a unit;
 * `-f bytes` prints bytes. Sources: footprint(1), public outputs of it (tests/cases/macos). */
#ifndef GPU_METAL_FOOTPRINT_H
#define GPU_METAL_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum {
    FOOTPRINT_TEXT_MAX = 1 << 20, /* bytes of an output that is looked at */
    FOOTPRINT_ROWS_MAX = 4096
};

/* False: no row of this process's categories is in it, or what it says cannot be true. */
bool footprint_text_parse(struct raw_text text, int64_t pid, int64_t *graphics_bytes);
bool footprint_json_parse(struct raw_text json, int64_t pid, int64_t *graphics_bytes);

#endif

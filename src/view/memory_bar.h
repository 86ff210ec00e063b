/* The VRAM map, step 2: segments to terminal cells. Pure.
 *
 * Widths are by largest remainder over the steps of a cell (8 with eighth blocks, 1 in ASCII), so
 * the cells always sum to the bar. Segments below one step join "n more" of their class, and every
 * segment left is seen in at least one cell: no measured byte rounds away. */
#ifndef VIEW_MEMORY_BAR_H
#define VIEW_MEMORY_BAR_H

#include <stddef.h>
#include <stdint.h>

#include "view/memory_map.h"

enum { MEMORY_BAR_WIDTH_MAX = 1024 };

/* A cell shows one segment, or two: `left` in its first `left_steps` steps, `right` in the rest. */
struct bar_cell {
    uint16_t left, right; /* into segments; equal where one fills the cell */
    uint8_t left_steps;   /* 1 ... steps */
};

struct memory_bar {
    struct segment *segments; /* as drawn: small ones joined */
    size_t *segment_steps;    /* their widths; the sum is width * steps */
    size_t segment_count, segment_capacity, steps_capacity;
    struct bar_cell *cells;
    size_t width, cell_capacity;
    size_t steps; /* of a cell */
};

/* Fills the bar (zeroed before its first use; the memory is used again). `steps` 1 to 8; width is
 * cut to MEMORY_BAR_WIDTH_MAX. A list that sums to 0, or width 0, gives no cells. */
void memory_bar_build(struct memory_bar *bar, const struct segment_list *list, size_t width,
                      size_t steps);
void memory_bar_free(struct memory_bar *bar);

#endif

/* Drawing the VRAM map: the cells of a memory_bar on a screen. */
#ifndef PRESENT_TUI_MAP_BAR_H
#define PRESENT_TUI_MAP_BAR_H

#include "screen/screen.h"
#include "view/memory_bar.h"

/* `bar` built with map_bar_steps(). Edges included: width is bar->width + 2. The segment `selected`
 * is drawn hollow (SIZE_MAX: none). */
void map_bar_draw(struct screen *screen, int x, int y, const struct memory_bar *bar,
                  size_t selected);
/* The same half as high and without edges, for a spill. */
void map_bar_draw_thin(struct screen *screen, int x, int y, const struct memory_bar *bar);
/* Steps of a cell that this screen can show: 8 with eighths of blocks and colour, else 1. */
size_t map_bar_steps(const struct screen *screen);
enum style style_of_segment(enum segment_class class);
char letter_of_segment(enum segment_class class); /* where there are no colours or blocks */

#endif

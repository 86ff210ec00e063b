/* The grid of cells and the door through which text enters it. Pure. */
#ifndef SCREEN_CELLS_H
#define SCREEN_CELLS_H

#include <stdbool.h>

#include "base/text.h"
#include "screen/door.h"

/* Rows of cells. Owns its memory. */
struct cells {
    struct screen_cell *grid; /* width * height */
    int width, height;
};

/* Takes a new size; the content becomes blank. */
void cells_resize(struct cells *cells, int width, int height);
void cells_free(struct cells *cells);
void cells_blank(struct cells *cells);
struct screen_cell *cells_at(const struct cells *cells, int x, int y); /* NULL outside */

/* See screen_put_in(). */
int cells_put(struct cells *cells, int x, int y, int width, struct text text, enum style style,
              enum glyphs glyphs);
/* One safe, one-column character; takes care of wide neighbours it overwrites. */
void cells_set(struct cells *cells, int x, int y, uint32_t code_point, enum style style,
               enum style under);

#endif

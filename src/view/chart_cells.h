/* A chart, step 2: columns to terminal cells, an area filled from the bottom. Pure.
 *
 * What is measured is seen: a 0 is a line at the bottom. What is not known is blank. */
#ifndef VIEW_CHART_CELLS_H
#define VIEW_CHART_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "view/chart_columns.h"

enum chart_glyphs {
    CHART_BRAILLE, /* 2 columns of 4 dots a cell */
    CHART_BLOCKS,  /* 1 column of 8 steps */
    CHART_ASCII,   /* 1 column of 3 steps: . : # */
};

struct chart_cell {
    uint32_t code_point; /* ' ': nothing */
    size_t layer;        /* which takes most of it: its colour */
    bool full;           /* to its top */
};

/* Columns of a chart that is `width` cells wide. */
size_t chart_column_count(enum chart_glyphs glyphs, size_t width);
/* The cell at x from the left, `row` from the bottom (0) of `rows`; `top` is the value at the upper
 * edge: what is more is clipped. */
struct chart_cell chart_cell(const struct chart_columns *columns, enum chart_glyphs glyphs,
                             double top, size_t x, size_t row, size_t rows);

#endif

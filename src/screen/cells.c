#include "screen/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/width.h"

/* Text that takes more bytes than this for the columns it has is nonsense: the rest is not looked
 * at. */
enum { SCAN_LIMIT = 8192 };

static const struct screen_cell blank_cell = {.points = {' '}, .width = 1, .style = STYLE_NORMAL};

void cells_resize(struct cells *cells, int width, int height)
{
    cells->grid = memory_grow(cells->grid, (size_t)width * (size_t)height, sizeof *cells->grid);
    cells->width = width;
    cells->height = height;
    cells_blank(cells);
}

void cells_free(struct cells *cells)
{
    free(cells->grid);
    *cells = (struct cells){0};
}

void cells_blank(struct cells *cells)
{
    size_t count = (size_t)cells->width * (size_t)cells->height;
    for (size_t i = 0; i < count; i++)
        cells->grid[i] = blank_cell;
}

struct screen_cell *cells_at(const struct cells *cells, int x, int y)
{
    if (x < 0 || y < 0 || x >= cells->width || y >= cells->height)
        return NULL;
    return &cells->grid[(size_t)y * (size_t)cells->width + (size_t)x];
}

/* Before a cell is overwritten: the other half of a wide character in it becomes blank. */
static void part_wide(struct cells *cells, int x, int y)
{
    struct screen_cell *cell = cells_at(cells, x, y);
    if (cell == NULL)
        return;
    if (cell->width == 0) {
        struct screen_cell *left = cells_at(cells, x - 1, y);
        if (left != NULL)
            *left = blank_cell;
    } else if (cell->width == 2) {
        struct screen_cell *right = cells_at(cells, x + 1, y);
        if (right != NULL)
            *right = blank_cell;
    }
}

void cells_set(struct cells *cells, int x, int y, uint32_t code_point, enum style style,
               enum style under)
{
    struct screen_cell *cell = cells_at(cells, x, y);
    if (cell == NULL)
        return;
    part_wide(cells, x, y);
    *cell = (struct screen_cell){
        .points = {code_point}, .width = 1, .style = (uint8_t)style, .under = (uint8_t)under};
}

static void set_wide(struct cells *cells, int x, int y, uint32_t code_point, enum style style)
{
    cells_set(cells, x, y, code_point, style, STYLE_NORMAL);
    cells_set(cells, x + 1, y, ' ', style, STYLE_NORMAL);
    struct screen_cell *left = cells_at(cells, x, y), *right = cells_at(cells, x + 1, y);
    if (left == NULL || right == NULL)
        return;
    left->width = 2;
    right->points[0] = 0;
    right->width = 0;
}

/* Attaches a combining mark to the character before; more than fit are left out. */
static void combine(struct cells *cells, int x, int y, uint32_t mark)
{
    struct screen_cell *cell = cells_at(cells, x, y);
    if (cell != NULL && cell->width == 0)
        cell = cells_at(cells, x - 1, y);
    if (cell == NULL)
        return;
    for (int i = 1; i < CELL_POINTS; i++) {
        if (cell->points[i] == 0) {
            cell->points[i] = mark;
            return;
        }
    }
}

int cells_put(struct cells *cells, int x, int y, int width, struct text text, enum style style,
              enum glyphs glyphs)
{
    if (text_is_none(text) || y < 0 || y >= cells->height || x < 0 || x >= cells->width)
        return 0;
    int limit = width < cells->width - x ? width : cells->width - x;
    size_t size = text.size < SCAN_LIMIT ? text.size : SCAN_LIMIT;
    size_t at = 0;
    int taken = 0;
    while (at < size) {
        uint32_t point = text_next(text.utf8, size, &at);
        if (text_is_unsafe(point))
            point = symbol_code_point(SYMBOL_REPLACEMENT);
        /* On an ASCII terminal every foreign character is one '?'. */
        int columns = glyphs == GLYPHS_ASCII ? 1 : width_of(point);
        if (columns == 0) {
            if (taken > 0 && width_is_mark(point))
                combine(cells, x + taken - 1, y, point);
            continue;
        }
        if (taken + columns > limit)
            break;
        point = symbol_for_terminal(point, glyphs);
        if (columns == 2)
            set_wide(cells, x + taken, y, point, style);
        else
            cells_set(cells, x + taken, y, point, style, STYLE_NORMAL);
        taken += columns;
    }
    return taken;
}

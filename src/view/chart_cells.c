#include "view/chart_cells.h"

#include <math.h>

static size_t columns_of_cell(enum chart_glyphs glyphs)
{
    return glyphs == CHART_BRAILLE ? 2 : 1;
}

static size_t steps_of_cell(enum chart_glyphs glyphs)
{
    return glyphs == CHART_BRAILLE ? 4 : glyphs == CHART_BLOCKS ? 8 : 3;
}

size_t chart_column_count(enum chart_glyphs glyphs, size_t width)
{
    return width * columns_of_cell(glyphs);
}

/* How high the layers up to this one reach in a column, in steps; SIZE_MAX: nothing is known. The
 * topmost is at least one step high. */
static size_t height_of(const struct chart_columns *columns, size_t column, size_t layers,
                        double top, size_t steps)
{
    float sum = 0;
    bool known = false;
    for (size_t layer = 0; layer < layers; layer++) {
        float value = columns->values[layer][column];
        if (!isnan(value)) {
            sum += value;
            known = true;
        }
    }
    if (!known)
        return layers == columns->layer_count ? SIZE_MAX : 0;
    double height = top > 0 ? (double)sum / top * (double)steps + 0.5 : 0;
    size_t whole = height >= (double)steps ? steps : height > 0 ? (size_t)height : 0;
    return whole == 0 && layers == columns->layer_count ? 1 : whole;
}

/* Counts the steps of each layer of one column that lie in the cell [from, from + steps). Returns
 * how many are filled. */
static size_t count_steps(const struct chart_columns *columns, size_t column, double top,
                          size_t from, size_t steps, size_t all, size_t counts[CHART_LAYERS_MAX])
{
    size_t begin = 0, filled = 0;
    if (height_of(columns, column, columns->layer_count, top, all) == SIZE_MAX)
        return 0;
    for (size_t layer = 0; layer < columns->layer_count; layer++) {
        size_t end = height_of(columns, column, layer + 1, top, all);
        size_t low = begin > from ? begin : from;
        size_t high = end < from + steps ? end : from + steps;
        if (high > low) {
            counts[layer] += high - low;
            filled += high - low;
        }
        begin = end > begin ? end : begin;
    }
    return filled;
}

/* Dots of a braille cell from the bottom: the left column is 7 3 2 1, the right one 8 6 5 4. */
static uint32_t braille(const size_t filled[2])
{
    static const uint32_t dots[2][5] = {{0x00, 0x40, 0x44, 0x46, 0x47},
                                        {0x00, 0x80, 0xA0, 0xB0, 0xB8}};
    uint32_t bits = dots[0][filled[0]] | dots[1][filled[1]];
    return bits != 0 ? 0x2800 + bits : ' ';
}

struct chart_cell chart_cell(const struct chart_columns *columns, enum chart_glyphs glyphs,
                             double top, size_t x, size_t row, size_t rows)
{
    size_t steps = steps_of_cell(glyphs), each = columns_of_cell(glyphs);
    size_t counts[CHART_LAYERS_MAX] = {0}, filled[2] = {0, 0};
    struct chart_cell cell = {.code_point = ' '};
    for (size_t i = 0; i < each; i++)
        if (x * each + i < columns->count)
            filled[i] =
                count_steps(columns, x * each + i, top, row * steps, steps, rows * steps, counts);
    for (size_t layer = 1; layer < columns->layer_count; layer++)
        if (counts[layer] > counts[cell.layer])
            cell.layer = layer;
    cell.full = filled[0] == steps && (each == 1 || filled[1] == steps);
    if (glyphs == CHART_BRAILLE)
        cell.code_point = braille(filled);
    else if (filled[0] > 0)
        cell.code_point = glyphs == CHART_BLOCKS ? 0x2580 + (uint32_t)filled[0]
                                                 : (unsigned char)" .:#"[filled[0]];
    return cell;
}

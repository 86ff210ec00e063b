#include "screen/console_cells.h"

enum {
    BLUE = 1,
    GREEN = 2,
    RED = 4,
    INTENSE = 8,
    COLOR_BITS = 15,
    LEADING = 0x100,
    TRAILING = 0x200
};

/* ANSI counts red first, the console blue. */
static uint16_t color_bits(int32_t ansi)
{
    unsigned bits = 0;
    if ((ansi & 1) != 0)
        bits |= RED;
    if ((ansi & 2) != 0)
        bits |= GREEN;
    if ((ansi & 4) != 0)
        bits |= BLUE;
    if (ansi >= 8)
        bits |= INTENSE;
    return (uint16_t)bits;
}

static uint16_t attributes_of(const struct cell_look *look, uint16_t own)
{
    unsigned foreground = own & COLOR_BITS, background = (own >> 4) & COLOR_BITS;
    if (look->foreground >= 0)
        foreground = color_bits(look->foreground);
    if (look->background >= 0)
        background = color_bits(look->background);
    /* Bold is the bright half of the palette, which has no word for faint but its dark grey. */
    if (look->bold && (background & INTENSE) == 0)
        foreground |= INTENSE;
    if (look->dim && background != INTENSE)
        foreground = INTENSE;
    if (foreground == background)
        foreground ^= INTENSE;
    if (look->reverse) {
        unsigned swapped = foreground;
        foreground = background;
        background = swapped;
    }
    return (uint16_t)(background << 4 | foreground);
}

struct console_cell console_cell_of(const struct screen_cell *cell, enum color_depth depth,
                                    int light, uint16_t own)
{
    struct cell_look look = cell_look(cell, depth, light);
    unsigned attributes = attributes_of(&look, own);
    uint32_t point = cell->points[0];
    if (cell->width == 2)
        attributes |= LEADING;
    if (cell->width == 0)
        attributes |= TRAILING;
    return (struct console_cell){
        .unit = point > 0xFFFF ? 0xFFFD
                : point != 0   ? (uint16_t)point
                               : ' ',
        .attributes = (uint16_t)attributes,
    };
}

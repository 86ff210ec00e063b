#include <math.h>
#include <string.h>

#include "present/tui/ui.h"
#include "view/text_width.h"

void draw_right(struct screen *screen, int right, int y, const char *words, enum style style)
{
    struct text text = {words, strlen(words)};
    int width = (int)text_width(text, screen_glyphs(screen) == GLYPHS_ASCII);
    screen_put(screen, right - width > 0 ? right - width : 0, y, text, style);
}

void draw_cut(struct screen *screen, int x, int y, int width, const char *words, enum style style)
{
    struct text text = {words, strlen(words)};
    bool ascii = screen_glyphs(screen) == GLYPHS_ASCII;
    if (width < 4 || text_width(text, ascii) <= (size_t)width) {
        screen_put_in(screen, x, y, width, text, style);
        return;
    }
    const char *dots = ascii ? ".." : "\u2026";
    int room = width - (ascii ? 2 : 1);
    x += screen_put_in(screen, x, y, room, text, style);
    screen_print(screen, x, y, dots, style);
}

struct rectangle draw_box(struct screen *screen, struct rectangle area, const char *title,
                          const char *foot)
{
    int right = area.x + area.width - 1, bottom = area.y + area.height - 1;
    for (int y = area.y; y <= bottom; y++)
        screen_clear(screen, area.x, y, area.width);
    screen_repeat(screen, area.x, area.y, area.width, SYMBOL_HORIZONTAL, STYLE_DIM);
    screen_repeat(screen, area.x, bottom, area.width, SYMBOL_HORIZONTAL, STYLE_DIM);
    for (int y = area.y + 1; y < bottom; y++) {
        screen_repeat(screen, area.x, y, 1, SYMBOL_VERTICAL, STYLE_DIM);
        screen_repeat(screen, right, y, 1, SYMBOL_VERTICAL, STYLE_DIM);
    }
    screen_repeat(screen, area.x, area.y, 1, SYMBOL_CORNER_TOP_LEFT, STYLE_DIM);
    screen_repeat(screen, right, area.y, 1, SYMBOL_CORNER_TOP_RIGHT, STYLE_DIM);
    screen_repeat(screen, area.x, bottom, 1, SYMBOL_CORNER_BOTTOM_LEFT, STYLE_DIM);
    screen_repeat(screen, right, bottom, 1, SYMBOL_CORNER_BOTTOM_RIGHT, STYLE_DIM);
    screen_format(screen, area.x + 2, area.y, STYLE_TITLE, " %s ", title);
    if (foot[0] != '\0' && (int)strlen(foot) + 6 < area.width)
        screen_format(screen, area.x + 2, bottom, STYLE_DIM, " %s ", foot);
    return (struct rectangle){area.x + 2, area.y + 1, area.width - 4, area.height - 2};
}

void draw_sparkline(struct screen *screen, struct rectangle area, const float *values, size_t count,
                    float top, enum style style)
{
    size_t columns = (size_t)area.width;
    size_t first = count > columns ? count - columns : 0;
    int x = area.x + (count < columns ? (int)(columns - count) : 0);
    for (size_t i = first; i < count; i++, x++) {
        float value = values[i];
        if (isnan(value))
            continue;
        int level = (int)(value / top * 8.0F + 0.5F);
        level = level > 8 ? 8 : level < 1 ? 1 : level;
        /* The smallest block stands for "measured and near zero": a blank is "not known". */
        screen_put_character(screen, x, area.y, 0x2580U + (uint32_t)level, style);
    }
}

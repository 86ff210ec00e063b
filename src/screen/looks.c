#include "screen/looks.h"

#include <stdlib.h>
#include <string.h>

#include "screen/styles.h"

static int32_t color_of(enum style style, enum color_depth depth, int light)
{
    const struct style_look *look = style_look(style);
    switch (depth) {
    case DEPTH_TRUE:
        return look->rgb[light];
    case DEPTH_256:
        return look->palette[light];
    case DEPTH_16:
        return look->ansi[light];
    case DEPTH_MONO:
        break;
    }
    return -1;
}

static int32_t selected_color(enum color_depth depth, int light)
{
    if (depth == DEPTH_TRUE)
        return light ? SELECTED_RGB_LIGHT : SELECTED_RGB_DARK;
    return light ? SELECTED_PALETTE_LIGHT : SELECTED_PALETTE_DARK;
}

struct cell_look cell_look(const struct screen_cell *cell, enum color_depth depth, int light)
{
    const struct style_look *look = style_look((enum style)cell->style);
    bool deep = depth == DEPTH_256 || depth == DEPTH_TRUE;
    struct cell_look result = {
        .foreground = color_of((enum style)cell->style, depth, light),
        .background =
            cell->under != STYLE_NORMAL ? color_of((enum style)cell->under, depth, light) : -1,
        .bold = look->bold,
        .dim = look->dim && !deep,
    };
    if (cell->selected && deep && result.background < 0)
        result.background = selected_color(depth, light);
    else if (cell->selected && !deep) {
        result.dim = false;
        result.reverse = true;
    }
    return result;
}

bool looks_color_refused(void)
{
    const char *no_color = getenv("NO_COLOR");
    return no_color != NULL && no_color[0] != '\0';
}

/* COLORFGBG is "foreground;background" in ANSI colours (rxvt, konsole); 7 and 9 to 15 are light. */
bool looks_background_light(void)
{
    const char *value = getenv("COLORFGBG");
    const char *last = value != NULL ? strrchr(value, ';') : NULL;
    if (last == NULL)
        return false;
    int background = atoi(last + 1);
    return background == 7 || (background >= 9 && background <= 15);
}

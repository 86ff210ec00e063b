/* Styles by meaning. What each looks like on which terminal is in styles.def. */
#ifndef SCREEN_STYLES_H
#define SCREEN_STYLES_H

#include <stdbool.h>
#include <stdint.h>

enum style {
#define STYLE(name, dark, light, dark256, light256, dark16, light16, bold, dim) STYLE_##name,
#include "screen/styles.def"
#undef STYLE
    STYLE_COUNT
};

/* One style in all its looks: RGB, xterm palette index, ANSI colour; [0] on dark, [1] on light;
 * -1 is the terminal's own foreground. */
struct style_look {
    int32_t rgb[2];
    int16_t palette[2];
    int8_t ansi[2];
    bool bold, dim;
};

const struct style_look *style_look(enum style style);

/* Background of the selected row, [0] on dark, [1] on light. With fewer than 256 colours, and on a
 * terminal without colour, the row is reversed instead. */
enum { SELECTED_PALETTE_DARK = 237, SELECTED_PALETTE_LIGHT = 254 };
enum { SELECTED_RGB_DARK = 0x32363C, SELECTED_RGB_LIGHT = 0xDDE3EA };

#endif

/* What a cell looks like at the depth of colour that a terminal has, and what the environment says
 * about colour. */
#ifndef SCREEN_LOOKS_H
#define SCREEN_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "screen/door.h"

enum color_depth { DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_TRUE };

/* Colours are ANSI colours, indexes of the xterm palette or RGB, by the depth; -1: the terminal's
 * own foreground or background. */
struct cell_look {
    int32_t foreground, background;
    bool bold, dim, reverse;
};

/* `light`: 1 on a light background, else 0. Pure. */
struct cell_look cell_look(const struct screen_cell *cell, enum color_depth depth, int light);

/* NO_COLOR is set and not empty. */
bool looks_color_refused(void);
/* COLORFGBG says that the background is light. */
bool looks_background_light(void);

#endif

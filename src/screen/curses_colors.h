/* Styles as curses attributes and colour pairs, at the depth this terminal has. */
#ifndef SCREEN_CURSES_COLORS_H
#define SCREEN_CURSES_COLORS_H

#include <curses.h>
#include <stdbool.h>

#include "screen/looks.h"

enum { COLOR_PAIRS_MAX = 250, TERMINAL_NAME_SIZE = 64 };

struct curses_colors {
    enum color_depth depth_found, depth; /* what the terminal has; what is used of it */
    int light;                           /* 1: light background */
    int asked_light;     /* the terminal's own word on its background: 0, 1, or -1: none yet */
    bool own_background; /* the terminal's own foreground and background can be used (-1) */
    struct {
        int foreground, background;
    } pairs[COLOR_PAIRS_MAX]; /* pair i + 1 */
    int pair_count;
};

/* The terminal type to open: one with direct colours where COLORTERM promises them and its
 * description is installed; NULL: that of TERM. */
const char *curses_colors_terminal(char name[TERMINAL_NAME_SIZE]);
/* After newterm(). */
void curses_colors_start(struct curses_colors *colors, bool no_color);
void curses_colors_choose(struct curses_colors *colors, enum screen_theme theme);
void curses_colors_of(struct curses_colors *colors, const struct screen_cell *cell,
                      attr_t *attributes, int *pair);

#endif

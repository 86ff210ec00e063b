#include "screen/curses_colors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

static bool has_string(const char *capability)
{
    const char *bytes = tigetstr(capability);
    return bytes != NULL && bytes != (const char *)-1;
}

/* Whether the library knows a type; `*restores`: that it has a second screen, so that the first one
 * comes back in the end. */
static bool knows(const char *type, bool *restores)
{
    int error = 0;
    if (setupterm(type, STDOUT_FILENO, &error) != OK)
        return false;
    *restores = has_string("smcup");
    del_curterm(cur_term);
    return true;
}

const char *curses_colors_terminal(char name[TERMINAL_NAME_SIZE])
{
    const char *promise = getenv("COLORTERM"), *term = getenv("TERM");
    /* GNU screen hands COLORTERM on and loses the colours. */
    if (promise == NULL || term == NULL || getenv("STY") != NULL ||
        (strcmp(promise, "truecolor") != 0 && strcmp(promise, "24bit") != 0))
        return NULL;
    const char *rest = strstr(term, "-256color");
    int length = (int)(rest != NULL ? (size_t)(rest - term) : strlen(term));
    bool restores = false, is_known = knows(term, &restores);
    /* Of the types that stand in for xterm's, this one parts a colour's numbers by semicolons: all
     * terminals with direct colours read those, not all read colons. */
    bool xterm = length == 5 && strncmp(term, "xterm", 5) == 0;
    for (int i = xterm ? 0 : 1; i < 2; i++) {
        int written = i == 0 ? snprintf(name, TERMINAL_NAME_SIZE, "vte-direct")
                             : snprintf(name, TERMINAL_NAME_SIZE, "%.*s-direct", length, term);
        bool its = false;
        if (written < TERMINAL_NAME_SIZE && knows(name, &its) && (its || !is_known || !restores))
            return name;
    }
    return NULL;
}

void curses_colors_start(struct curses_colors *colors, bool no_color)
{
    *colors = (struct curses_colors){.asked_light = -1};
    if (no_color || looks_color_refused() || !has_colors() || start_color() == ERR)
        return;
    colors->own_background = use_default_colors() == OK;
    if (COLORS > 256 * 256 && COLOR_PAIRS > COLOR_PAIRS_MAX)
        colors->depth_found = DEPTH_TRUE; /* a "direct" terminal type: colours are RGB */
    else if (COLORS >= 256 && COLOR_PAIRS > COLOR_PAIRS_MAX)
        colors->depth_found = DEPTH_256;
    else if (COLORS >= 8)
        colors->depth_found = DEPTH_16;
}

void curses_colors_choose(struct curses_colors *colors, enum screen_theme theme)
{
    colors->depth = theme == THEME_MONO ? DEPTH_MONO : colors->depth_found;
    colors->pair_count = 0; /* they are made anew as they are met */
    bool light = colors->asked_light >= 0 ? colors->asked_light > 0 : looks_background_light();
    colors->light = theme == THEME_LIGHT || (theme == THEME_AUTO && light) ? 1 : 0;
}

static int pair_for(struct curses_colors *colors, int foreground, int background)
{
    if (foreground < 0 && background < 0)
        return 0;
    for (int i = 0; i < colors->pair_count; i++)
        if (colors->pairs[i].foreground == foreground && colors->pairs[i].background == background)
            return i + 1;
    if (colors->pair_count >= COLOR_PAIRS_MAX || colors->pair_count + 1 >= COLOR_PAIRS)
        return 0;
    int pair = colors->pair_count + 1;
    int own_foreground = foreground, own_background = background;
    if (!colors->own_background) {
        own_foreground = foreground < 0 ? COLOR_WHITE : foreground;
        own_background = background < 0 ? COLOR_BLACK : background;
    }
#if defined NCURSES_EXT_COLORS && NCURSES_EXT_COLORS
    if (init_extended_pair(pair, own_foreground, own_background) == ERR)
        return 0;
#else
    if (init_pair((short)pair, (short)own_foreground, (short)own_background) == ERR)
        return 0;
#endif
    colors->pairs[colors->pair_count].foreground = foreground;
    colors->pairs[colors->pair_count].background = background;
    colors->pair_count = pair;
    return pair;
}

void curses_colors_of(struct curses_colors *colors, const struct screen_cell *cell,
                      attr_t *attributes, int *pair)
{
    struct cell_look look = cell_look(cell, colors->depth, colors->light);
    *attributes = (attr_t)((look.bold ? A_BOLD : A_NORMAL) | (look.dim ? A_DIM : A_NORMAL) |
                           (look.reverse ? A_REVERSE : A_NORMAL));
    *pair = colors->depth == DEPTH_MONO ? 0 : pair_for(colors, look.foreground, look.background);
}

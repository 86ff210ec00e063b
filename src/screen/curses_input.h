/* Keys, mouse and the terminal's replies through curses. */
#ifndef SCREEN_CURSES_INPUT_H
#define SCREEN_CURSES_INPUT_H

#include <curses.h>
#include <stdbool.h>
#include <stdint.h>

#include "screen/curses_colors.h"
#include "screen/sequence.h"

struct curses_input {
    /* Keys are read through a window of their own: reading refreshes the one it uses. */
    WINDOW *window;
    struct curses_colors *colors; /* not owned: the terminal's word on its background goes there */
    enum screen_theme theme;
    struct sequence sequence; /* being read, its end has not come yet */
    int64_t asked_until_ns;   /* thread_clock_ns(): until then a reply is awaited; 0: none is */
};

void curses_input_open(struct curses_input *input, struct curses_colors *colors);
void curses_input_close(struct curses_input *input);
/* What curses still holds: it reads ahead, so this comes before each poll. */
bool curses_input_take(struct curses_input *input, struct screen_event *event);
/* Asks for the background colour, and then what it is: a terminal that knows nothing of the first
 * answers the second all the same. Nobody waits: the replies come between the keys. One that has
 * been silent for a second answers nothing. */
void curses_input_ask(struct curses_input *input);
/* Before the terminal is given back: a reply that came later would be typed into the shell. */
void curses_input_settle(struct curses_input *input);
/* Writes past curses, which has nothing for it. */
void curses_send(const char *bytes);

#endif

/* Curses' keys and mouse in the screen's words. */
#ifndef SCREEN_CURSES_KEYS_H
#define SCREEN_CURSES_KEYS_H

#include <curses.h>
#include <stdbool.h>

#include "screen/screen.h"

/* `named`: `character` is one of curses' KEY_ codes. */
uint32_t curses_key(wint_t character, bool named);
/* False for what we do not listen to. */
bool curses_mouse(const MEVENT *mouse, struct screen_event *event);

#endif

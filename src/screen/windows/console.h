/* A Windows console taken over by the screen. Two ways to draw: bytes of a VT terminal (Windows 10
 * and later, Windows Terminal), or the console's own cells where VT is refused or not obeyed (the
 * legacy console, wine). Handles are void pointers, so that windows.h stays in the doors. */
#ifndef SCREEN_WINDOWS_CONSOLE_H
#define SCREEN_WINDOWS_CONSOLE_H

#include "screen/console_cells.h"
#include "screen/vt_input.h"
#include "screen/vt_output.h"

/* What the window shows, where no VT draws. */
struct console_grid {
    struct console_cell *cells; /* width * height; owned */
    int width, height;
    int first, last; /* rows to be sent; last < first: none */
};

struct console {
    struct door door;
    void *in, *out;
    void *buffer;                    /* a screen buffer of our own; NULL: VT draws */
    unsigned long in_mode, out_mode; /* as they were */
    uint16_t own;                    /* attributes as they were */
    enum color_depth depth_found;    /* what there is; output.depth is what is used of it */
    enum screen_theme theme;
    bool mouse, gone;
    int64_t asked_until_ns; /* thread_clock_ns(): until then a reply is awaited */
    int width, height;      /* the size told last */
    int left, top;          /* of the window in its buffer */
    struct console_grid grid;
    struct vt_output output;
    struct vt_input input;
};

/* --- console_modes_door.c --- */

/* Whether the console obeys VT sequences now; modes are set, nothing is drawn. */
bool console_take_vt(struct console *console);
void console_take_input(struct console *console);
void console_give_back(struct console *console);
/* The window's size and place; false: there is no console any more. */
bool console_measure(struct console *console);
/* Whether the console's own background is light, as far as it knows. */
bool console_is_light(const struct console *console);

/* --- console_drawing_door.c --- */

/* Begins a screen of our own; false: there is none to be had. */
bool console_begin(struct console *console);
void console_end(struct console *console);
void console_draw(struct door *door, int x, int y, const struct screen_cell *cells, int count);
void console_flush(struct door *door, int x, int y);
void console_forget(struct door *door);

/* --- console_input_door.c --- */

/* Reads what has arrived without waiting; false: the console is gone. `*resized`: the window's size
 * may have changed. */
bool console_read(struct console *console, bool *resized);
/* Asks for the background's colour, and then what the terminal is (curses_input.h says why). */
void console_ask(struct console *console);
/* Whether a reply is awaited. */
bool console_awaits_reply(struct console *console);
/* Before the console is given back: a reply that came later would be typed into the shell. */
void console_settle(struct console *console);

#endif

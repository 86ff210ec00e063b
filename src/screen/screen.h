/* The terminal as a grid of cells: text in; keys, mouse and resize out. It knows nothing of GPUs.
 * The platform behind it is a door (door.h): curses on POSIX, the VT console on Windows, memory in
 * tests.
 *
 * Every foreign text enters through screen_put() and leaves its control, bidi and invalid
 * characters there. A frame is drawn between screen_begin() and screen_end(); only cells that
 * changed are sent. Used by one thread. */
#ifndef SCREEN_SCREEN_H
#define SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"
#include "os/wake.h"
#include "screen/styles.h"
#include "screen/symbols.h"

/* Keys: characters are their code point; the rest is above Unicode. */
enum screen_key {
    SCREEN_KEY_TAB = 9,
    SCREEN_KEY_ENTER = 13, /* also for line feed and the keypad's */
    SCREEN_KEY_ESCAPE = 27,
    SCREEN_KEY_UP = 0x110000,
    SCREEN_KEY_DOWN,
    SCREEN_KEY_LEFT,
    SCREEN_KEY_RIGHT,
    SCREEN_KEY_PAGE_UP,
    SCREEN_KEY_PAGE_DOWN,
    SCREEN_KEY_HOME,
    SCREEN_KEY_END,
    SCREEN_KEY_BACKSPACE,
    SCREEN_KEY_DELETE,
    SCREEN_KEY_BACK_TAB,
    SCREEN_KEY_F1, /* F2 ... F12 follow */
    SCREEN_KEY_F12 = SCREEN_KEY_F1 + 11,
    SCREEN_KEY_OTHER, /* a key we have no name for */
};
#define SCREEN_KEY_CONTROL(letter) ((uint32_t)(letter)&0x1F)
#define SCREEN_KEY_ALT(key) ((uint32_t)(key) | 0x1000000)

enum screen_event_kind {
    SCREEN_TIMEOUT,
    SCREEN_KEY,
    SCREEN_MOUSE,
    SCREEN_RESIZE, /* the grid has another size, or the terminal came back: draw */
    SCREEN_WAKE,   /* one of the wakes was signalled; it has been cleared */
    SCREEN_QUIT,   /* SIGTERM, SIGHUP, SIGINT: end with 128 + signal_number */
    SCREEN_GONE,   /* the terminal is closed: end */
};

enum mouse_action {
    MOUSE_PRESS,
    MOUSE_WHEEL_UP,
    MOUSE_WHEEL_DOWN,
    MOUSE_DRAG, /* moved while the button is down */
    MOUSE_RELEASE,
};

struct screen_event {
    enum screen_event_kind kind;
    uint32_t key;
    enum mouse_action action;
    int x, y;    /* of the mouse */
    size_t wake; /* index of the wake */
    int signal_number;
};

enum screen_theme {
    THEME_AUTO, /* the terminal is asked for its background; else COLORFGBG decides, else dark */
    THEME_DARK,
    THEME_LIGHT,
    THEME_MONO, /* attributes only */
};

struct screen_options {
    bool ascii;    /* only ASCII characters, whatever the locale says */
    bool no_color; /* attributes only; NO_COLOR in the environment does the same */
    enum screen_theme theme;
    bool no_mouse;
    struct wake *signals; /* that of signals_start(), or NULL: signals are not ours to handle */
};

struct screen;

/* Takes the terminal over. NULL with the reason and a remedy in *problem when there is none. */
struct screen *screen_open(const struct screen_options *options, struct problem *problem);
/* Gives the terminal back as it was and sets the caller's pointer to NULL. NULL is allowed. */
void screen_close(struct screen **screen);
/* Bytes that give the terminal back from a crash handler. Static as long as the screen is open; may
 * be "" (never NULL). */
const char *screen_restore_bytes(const struct screen *screen);

/* Another look from the next frame on. `ascii` as in the options; what the terminal or NO_COLOR
 * does not allow stays away. */
void screen_set_look(struct screen *screen, enum screen_theme theme, bool ascii);

/* Gives the terminal back to the shell and stops this process (Ctrl-Z); returns when it is
 * continued, with the terminal taken over again. Nothing where there is no job control. */
bool screen_can_stop(const struct screen *screen);
void screen_stop(struct screen *screen);
/* The next frame is sent whole (Ctrl-L). */
void screen_forget(struct screen *screen);

int screen_width(const struct screen *screen);  /* columns, at least 1 */
int screen_height(const struct screen *screen); /* rows, at least 1 */
enum glyphs screen_glyphs(const struct screen *screen);
bool screen_has_color(const struct screen *screen);

/* Starts a frame: all cells blank, no cursor. */
void screen_begin(struct screen *screen);
/* Sends what changed. */
void screen_end(struct screen *screen);

/* Puts text at column x (from 0) of row y, at most `width` columns, cut at the grid's edges.
 * Control, bidi and invisible characters are replaced or dropped; a wide character that does not
 * fit whole is left out. Returns the columns taken. */
int screen_put_in(struct screen *screen, int x, int y, int width, struct text text,
                  enum style style);
/* The same up to the right edge. */
int screen_put(struct screen *screen, int x, int y, struct text text, enum style style);
/* Our own words, NUL-terminated UTF-8; the same rules. */
int screen_print(struct screen *screen, int x, int y, const char *words, enum style style);
int screen_format(struct screen *screen, int x, int y, enum style style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* `count` times the same symbol. */
void screen_repeat(struct screen *screen, int x, int y, int count, enum symbol symbol,
                   enum style style);
/* One character (a letter of a bar, a braille pattern). */
void screen_put_character(struct screen *screen, int x, int y, uint32_t code_point,
                          enum style style);
/* A cell shared by two neighbours of a bar: `eighths` (1 to 7) of it from the left in the colour of
 * `left`, the rest in that of `right` (STYLE_NORMAL: the background). Needs GLYPHS_BLOCKS and, for
 * `right`, colour; without them the larger share takes the cell whole. */
void screen_put_border(struct screen *screen, int x, int y, int eighths, enum style left,
                       enum style right);
/* Blanks cells. */
void screen_clear(struct screen *screen, int x, int y, int width);
/* Marks cells as selected (a background; what stands in them stays). */
void screen_select(struct screen *screen, int x, int y, int width);
/* Shows the cursor there in this frame. */
void screen_cursor(struct screen *screen, int x, int y);

/* Waits in one poll for a key, the mouse, a signal or one of the wakes (at most SCREEN_WAKES_MAX),
 * until thread_clock_ns() passes until_ns (INT64_MAX: no limit). No wake-ups between. SIGWINCH and
 * SIGTSTP are dealt with here. */
enum { SCREEN_WAKES_MAX = 6 };
struct screen_event screen_wait(struct screen *screen, int64_t until_ns, struct wake *const *wakes,
                                size_t wake_count);

#endif

/* One cell of the process table: a text and how it is known. A cell refers into the snapshot and is
 * valid while that is held; it may be copied. */
#ifndef VIEW_CELL_H
#define VIEW_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "reading/reasons.h"

enum cell_mark {
    CELL_NONE,        /* measured, or a plain text */
    CELL_MATCHED,     /* '*' after the digits */
    CELL_GUESS,       /* '?' after the digits */
    CELL_ESTIMATED,   /* '~' after the digits: computed */
    CELL_UNAVAILABLE, /* "n/a": there is such a figure, but not for this row: see why */
    CELL_BLANK,       /* nothing to show: there is no such counter here, or no such thing (calm) */
};

enum { CELL_OWN_SIZE = 128 };

struct cell {
    struct text foreign;     /* a text of the snapshot, or TEXT_NONE: then own */
    char own[CELL_OWN_SIZE]; /* NUL-terminated UTF-8 ("" while blank, "n/a" while unavailable) */
    enum cell_mark mark;
    bool at_least;   /* a lower bound: own begins with '>' */
    enum reason why; /* while unavailable or blank */
};

/* The cell's text without its mark. */
struct text cell_text(const struct cell *cell);
/* '*', '?', '~' or ' '. */
char cell_mark_character(enum cell_mark mark);

/* CELL_NUMBER is right-aligned and keeps the last place for the mark. */
enum cell_align { CELL_LEFT, CELL_RIGHT, CELL_NUMBER };

/* Writes the cell in exactly `width` terminal cells (padded; a long text keeps head and tail) as
 * NUL-terminated UTF-8; not yet safe for a terminal: pass it through text_out() or screen_put().
 * `size` at least 4 * width + 8 is always
 * enough for texts without long runs of combining characters; less is cut at a character. */
void cell_print(const struct cell *cell, enum cell_align align, size_t width, bool ascii, char *out,
                size_t size);

#endif

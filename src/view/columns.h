/* The columns of the process table (columns.def) and how they share a width. Pure. */
#ifndef VIEW_COLUMNS_H
#define VIEW_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "view/cell.h"

struct row;
struct rows;

enum column {
#define COLUMN(name, heading, least, most, align, rank, shown, help) COLUMN_##name,
#include "view/columns.def"
#undef COLUMN
    COLUMN_COUNT
};

struct column_traits {
    const char *name;    /* "vram": --sort, the config file, filters */
    const char *heading; /* "VRAM" */
    size_t least, most;  /* terminal cells */
    enum cell_align align;
    int rank; /* 1 is the last to go when it gets narrow */
    bool shown;
    const char *help;
};

/* Static. */
const struct column_traits *column_traits(enum column column);
/* By name or heading, ASCII case folded ("gpu%", "GPU", "vram", "load" for gpu); false: none. */
bool column_from_name(const char *name, enum column *column);

/* Whether its numbers are bytes (the others are percent; time is seconds). */
bool column_is_bytes(enum column column);
/* Whether it is the load of one engine. */
bool column_is_engine(enum column column);
/* What the row shows in this column. */
void column_cell(const struct row *row, enum column column, struct cell *cell);
/* The same for less, without the words of a number: mark, at_least and why. */
void column_mark(const struct row *row, enum column column, struct cell *cell);

/* A choice of columns in their order, with the width each gets. */
struct column_layout {
    enum column columns[COLUMN_COUNT];
    size_t widths[COLUMN_COUNT];
    size_t count;
    size_t width; /* of all with the gaps */
    bool local;   /* no pid has the letter of a namespace: PID is narrower */
    bool unified; /* every GPU shares the system's memory: SHARED outlasts VRAM */
};

enum { COLUMN_GAP = 1 };

/* The default columns in their default order, widths still 0. */
void columns_default(struct column_layout *layout);
/* Puts a column at `place` of a layout that holds it or not, those behind it move on. False: it was
 * before `place` already, and nothing has changed. */
bool columns_put(struct column_layout *layout, size_t place, enum column column);
/* Drops the columns in which no row has anything but blanks (pid, name and vram always stay). */
void columns_useful(struct column_layout *layout, const struct rows *rows);
/* Drops columns by rank until the rest fits in `width`, then shares what is left over among those
 * that can grow, by a rule that does not depend on the values: columns never jump. PID and NAME are
 * the last two; NAME is cut before it is dropped, and a little before anything else is. */
void columns_fit(struct column_layout *layout, size_t width);

#endif

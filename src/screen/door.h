/* What a platform's terminal offers below screen.h. A door owns no policy: it is handed finished
 * cells and yields events. */
#ifndef SCREEN_DOOR_H
#define SCREEN_DOOR_H

#include "base/width.h"
#include "screen/screen.h"

enum { CELL_POINTS = 1 + WIDTH_MARKS_MOST, SCREEN_SIDE_MAX = 1024 };

/* One column of the grid. */
struct screen_cell {
    uint32_t points[CELL_POINTS]; /* a character and its combining marks, 0 where there are none */
    uint8_t width;                /* 1, 2, or 0: the right half of the wide one before */
    uint8_t style;                /* enum style */
    uint8_t under;    /* enum style whose colour is the background; STYLE_NORMAL: none */
    uint8_t selected; /* 0 or 1 */
};

struct door;

struct door_ops {
    void (*close)(struct door *door);
    /* Both at least 1 and at most SCREEN_SIDE_MAX. */
    void (*size)(struct door *door, int *width, int *height);
    /* `count` neighbouring cells, never half a wide one. */
    void (*draw)(struct door *door, int x, int y, const struct screen_cell *cells, int count);
    /* Sends what was drawn; the cursor at x, y, or hidden when x < 0. */
    void (*flush)(struct door *door, int x, int y);
    /* The terminal's content is unknown: the next flush sends everything. */
    void (*forget)(struct door *door);
    /* Changes `glyphs` and `color` below. */
    void (*look)(struct door *door, enum screen_theme theme, bool ascii);
    /* Both NULL where a program cannot be stopped and continued. */
    void (*suspend)(struct door *door);
    void (*resume)(struct door *door);
    struct screen_event (*wait)(struct door *door, int64_t until_ns, struct wake *const *wakes,
                                size_t wake_count);
};

struct door {
    const struct door_ops *ops;
    enum glyphs glyphs;
    bool color;
    const char *restore_bytes; /* NUL-terminated */
};

/* The platform's door; false with the reason in *problem. */
bool door_open(const struct screen_options *options, struct door **door, struct problem *problem);
/* A screen over a door, which it owns. */
struct screen *screen_over(struct door *door);

#endif

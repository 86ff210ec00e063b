/* Where everything stands on the screen: pure, from its size and the number of adapters. It
 * degrades by priority and never by overlap: key bar, the selected row, the table, one line of VRAM
 * map an adapter, its figures, the charts, the inspector. */
#ifndef PRESENT_TUI_LAYOUT_H
#define PRESENT_TUI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct rectangle {
    int x, y, width, height; /* height 0: not shown */
};

enum adapter_form {
    ADAPTER_LINE,  /* one line */
    ADAPTER_SHORT, /* two: bar; figures and the largest parts */
    ADAPTER_FULL,  /* three or four */
};

struct adapter_slot {
    struct rectangle area;
    enum adapter_form form;
    size_t adapter; /* place in the list of adapters */
};

enum { LAYOUT_SLOTS_MAX = 64, LAYOUT_LEAST_WIDTH = 39, LAYOUT_LEAST_HEIGHT = 9 };

enum layout_charts {
    LAYOUT_CHARTS_SPARE,  /* where they leave room enough for everything else */
    LAYOUT_CHARTS_WANTED, /* wherever a table remains */
    LAYOUT_CHARTS_NONE,
};

struct layout_wish {
    int width, height;
    size_t adapter_count;
    size_t focused;      /* the adapter shown in most detail, and always shown */
    int inspector_lines; /* dragged to; 0: as many as suit the height */
    enum layout_charts charts;
    bool transport; /* a recording is played */
};

struct layout {
    bool too_small; /* nothing but a message fits */
    struct rectangle header;
    struct rectangle transport; /* below it, while a recording is played */
    struct rectangle adapters;  /* all slots together, and `more` */
    struct rectangle charts;
    struct rectangle table; /* its heading is the first line */
    struct rectangle inspector;
    struct rectangle status; /* on a low screen the same line as the keys */
    struct rectangle keys;
    struct adapter_slot slots[LAYOUT_SLOTS_MAX];
    size_t slot_count;
    size_t hidden_adapters; /* said in `more` */
    struct rectangle more;
};

void layout_make(const struct layout_wish *wish, struct layout *layout);

#endif

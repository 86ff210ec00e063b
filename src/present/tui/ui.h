/* The state of the live screen, and the panels that draw it. Internal to present/tui. */
#ifndef PRESENT_TUI_UI_H
#define PRESENT_TUI_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "present/tui/layout.h"
#include "present/tui/map_bar.h"
#include "present/tui/page.h"
#include "present/tui/tui.h"
#include "screen/screen.h"
#include "source/source.h"
#include "timeline/event_log.h"
#include "view/charts.h"
#include "view/filter.h"
#include "view/growth.h"
#include "view/memory_bar.h"
#include "view/memory_map.h"
#include "view/rows.h"

enum {
    MESSAGE_SIZE = 512,
    PROMPT_SIZE = 128,
    SPARK_POINTS = 128,
    KEY_AREAS_MAX = 32,
    CHOSEN_MAX = 64,
    USER_SIZE = 64,
};

struct ui;

/* A part of the screen. What a panel does not handle goes to the table of keys. */
struct panel {
    void (*draw)(struct ui *ui, struct rectangle area);
    bool (*key)(struct ui *ui, uint32_t key); /* NULL: none of its own; true: handled */
    void (*mouse)(struct ui *ui, struct rectangle area, const struct screen_event *event);
};

extern const struct panel header_panel, transport_panel, adapters_panel, charts_panel, table_panel,
    inspector_panel, status_panel, key_bar_panel;
/* Over the others; one at a time (ui->overlay). */
extern const struct panel help_panel, full_inspector_panel, confirm_panel, menu_panel, setup_panel,
    events_panel;

enum prompt_kind { PROMPT_NONE, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_TIME };
struct prompt {
    enum prompt_kind kind;
    char text[PROMPT_SIZE]; /* valid UTF-8, NUL-terminated */
    size_t size;
    char before[PROMPT_SIZE]; /* comes back on Esc */
};

enum menu_kind { MENU_SORT, MENU_USER, MENU_CHART };
enum { MENU_MAX = 64, MENU_LABEL_SIZE = 128 };
struct menu {
    enum menu_kind kind;
    char labels[MENU_MAX][MENU_LABEL_SIZE];
    size_t count, at;
};

struct tags {
    struct identity *items;
    size_t count, capacity;
};

/* Which signal to whom; the identities are those of the moment it was opened. */
struct confirm {
    struct tags targets;
    char name[USER_SIZE]; /* of the only target */
    size_t signal;        /* place in the list of signals */
    int64_t opened_ns;    /* of the last key: a held key confirms nothing */
};

/* The charts of the focused adapter. */
enum charts_mode { CHARTS_ALL, CHARTS_ONE, CHARTS_OFF };
enum { CHARTS_BESIDE_MAX = 6 };
struct charts {
    enum charts_mode mode;
    enum chart chosen;                   /* the one of CHARTS_ONE */
    size_t window;                       /* see chart_window_ns() */
    enum chart shown[CHARTS_BESIDE_MAX]; /* from the left, as last drawn */
    size_t shown_count;
    struct chart_seen seen;
    struct growth growth;
    struct chart_columns columns[CHARTS_BESIDE_MAX];
};

/* Which segment of the focused adapter's bar is selected. */
struct map_focus {
    bool on;
    int width; /* of that bar, without its edges, as last drawn */
    size_t at; /* place in the bar */
    enum segment_class class;
    enum segment_part part;
    struct identity process; /* pid 0: of none */
};

struct saving;

/* The setup screen: settings, then all columns, the shown ones first in their order. */
struct setup {
    size_t at, first, lines; /* the item, the first in sight, and how many lines there are */
    struct column_layout all;
    bool shown[COLUMN_COUNT];
};

struct ui {
    struct screen *screen;
    struct source *source;
    const struct tui_options *options;
    struct source_state_view state;
    struct snapshot *snapshot; /* NULL before the first */
    bool ascii, blocks;        /* only ASCII; no braille */
    bool braille;              /* also where the font may lack it */
    bool wants_ascii;          /* asked for; a terminal without UTF-8 gets it anyway */
    enum screen_theme theme;

    struct rows rows;
    struct filter filter;
    char filter_text[PROMPT_SIZE], search_text[PROMPT_SIZE];
    char user[USER_SIZE]; /* "": all */
    bool all, tree, reverse;
    enum column sort;
    bool one_adapter; /* only the focused one is listed */
    char focused[ADAPTER_ID_SIZE];
    struct text chosen[CHOSEN_MAX]; /* ids in the snapshot */
    bool namespace_seen;            /* a row that is not of the local process table */
    bool column_seen[COLUMN_COUNT]; /* had a value once: it stays, so that columns never jump */
    struct column_layout shown;     /* chosen, in their order; also those that do not fit */
    struct column_layout columns;

    bool has_selection;
    bool selection_waits; /* nobody chose, and no size was known yet: the largest is to be chosen */
    struct identity selected;
    size_t selected_row, top_row;
    struct tags tags;

    struct charts charts;
    struct map_focus map_focus;
    struct layout layout;
    const struct panel *overlay; /* NULL: none */
    bool inspector_focused;
    bool dragging;      /* the split */
    int inspector_wish; /* lines it was dragged to; 0: never */
    size_t inspector_line, overlay_line, overlay_last_line, inspector_last_line;
    struct page page;
    struct prompt prompt;
    struct menu menu;
    struct confirm confirm;
    struct setup setup;
    struct event_log events;
    size_t event_at, event_first; /* from the newest: selected, and first in sight */
    int64_t notice_until_ns;      /* how long the newest is shown unasked */

    char message[MESSAGE_SIZE];
    enum style message_style;
    int64_t message_until_ns;
    char last_failure[PROBLEM_SIZE];
    struct saving *saving;
    bool config_waits;    /* to be saved, while something else is being written */
    struct wanted wanted; /* as last requested */
    int64_t interval_asked_ns;

    struct memory_map map;
    struct memory_bar bar;
    struct rectangle bar_areas[LAYOUT_SLOTS_MAX]; /* of the slots; width 0: none is drawn */
    struct history_point points[SPARK_POINTS];
    struct key_area {
        int x, width;
        uint32_t key;
    } key_areas[KEY_AREAS_MAX];
    size_t key_area_count;

    struct rectangle transport_bar; /* as drawn; width 0: not shown */
    bool dirty, leave;
    int exit_status;
};

/* A line for some seconds. */
void ui_say(struct ui *ui, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The rows anew, after a snapshot or a change of choice; the selection follows its process. */
void ui_rebuild(struct ui *ui);
/* The place of the focused adapter in the snapshot; 0 when it is gone. */
size_t ui_focused(const struct ui *ui);
void ui_focus(struct ui *ui, size_t adapter);
/* The selected process, or NULL. */
const struct row *ui_selected(const struct ui *ui);
void ui_select_row(struct ui *ui, size_t row);
/* Our clock for messages and pauses. */
int64_t ui_now_ns(void);

/* keys.c: the table of keys. */
void keys_dispatch(struct ui *ui, uint32_t key);
bool keys_have(const struct ui *ui, uint32_t key);
size_t keys_help(const struct ui *ui, struct page *page);

/* actions.c: one function an action of keys.def. */
#define ACTION(name, rank, label, group, words) void action_##name(struct ui *ui, uint32_t key);
#define KEY(action, key, name)
#include "present/tui/keys.def"
#undef ACTION
#undef KEY

/* prompt.c */
void prompt_open(struct ui *ui, enum prompt_kind kind);
void prompt_key(struct ui *ui, uint32_t key);
void prompt_draw(struct ui *ui, struct rectangle area);
bool search_next(struct ui *ui, size_t from);

/* charts.c */
enum layout_charts charts_wish(const struct ui *ui);
bool charts_show(const struct ui *ui, enum chart chart); /* as last drawn */
/* A place in the picker: 0 all of them, then CHART_COUNT. False, and says why, when it is none that
 * the focused adapter delivers. */
bool charts_choose(struct ui *ui, size_t place);
void charts_picker_label(struct ui *ui, size_t place, char *out, size_t size);

/* transport.c: a recording is played */
void transport_go_to(struct ui *ui, const char *words);
void transport_change_speed(struct ui *ui, bool faster);

/* map_focus.c */
bool map_focus_key(struct ui *ui, uint32_t key); /* true: handled */
void map_focus_click(struct ui *ui, int cell);   /* a cell of the focused adapter's bar */
/* The selected segment of this bar, or SIZE_MAX. */
size_t map_focus_place(struct ui *ui, const struct adapter *adapter, const struct memory_bar *bar);
/* Names the selected segment; false when there is none. */
bool map_focus_draw(struct ui *ui, struct rectangle area);

/* scroll.c: keys and wheel of a page over the others. */
bool scroll_key(struct ui *ui, uint32_t key);
void scroll_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event);

/* menu.c */
void menu_open(struct ui *ui, enum menu_kind kind);
/* events.c */
void events_open(struct ui *ui);
/* After each new snapshot. */
void events_take(struct ui *ui);
/* The newest event in one line; false when it is not new any more. */
bool events_draw_notice(struct ui *ui, struct rectangle area);
/* setup.c */
void setup_open(struct ui *ui);
/* "all", "none", or a chart's name. */
void setup_take_charts(struct ui *ui, const char *name);
/* confirm.c */
void confirm_open(struct ui *ui);
/* inspector.c: the page on one row; `full` leaves nothing out. */
void inspector_write(struct ui *ui, struct page *page, const struct row *row, bool full);
/* Whether what is drawn below the table says why this cell of the selected row is n/a. */
bool inspector_tells(const struct ui *ui, const struct row *row, enum column column);
/* adapters_panel.c: the colour of its class in the map. */
enum style style_of_process(const struct row *row);

/* saving.c: a snapshot is written beside the screen, so that a slow disk holds up no key. */
void saving_start(struct ui *ui);
/* The settings to the config file. */
void saving_start_config(struct ui *ui);
/* True when one has ended: its word is in `say`. */
void saving_poll(struct ui *ui);
void saving_end(struct ui *ui);

/* draw.c: what the panels share. */
void draw_right(struct screen *screen, int right, int y, const char *words, enum style style);
/* Our own words, with dots at the end when they are cut. */
void draw_cut(struct screen *screen, int x, int y, int width, const char *words, enum style style);
/* A frame with a title; returns the room inside. */
struct rectangle draw_box(struct screen *screen, struct rectangle area, const char *title,
                          const char *foot);
/* A line of blocks of the values (0 to `top`; NAN: blank), the newest at the right. */
void draw_sparkline(struct screen *screen, struct rectangle area, const float *values, size_t count,
                    float top, enum style style);

#endif

/* The setup screen: how the live screen looks. A change shows at once, and is kept in the config
 * file when the screen closes. */
#include <stdio.h>
#include <string.h>

#include "present/tui/setup_values.h"

enum { VALUE_X = 16, HELP_X = 31, HEADINGS = 2 };

/* The settings in the order of the screen. */
static const enum setting items[] = {SETTING_theme, SETTING_characters, SETTING_interval,
                                     SETTING_sort,  SETTING_reverse,    SETTING_all,
                                     SETTING_tree,  SETTING_charts,     SETTING_mouse};
enum { ITEM_COUNT = sizeof items / sizeof *items };

static const char *const labels[SETTING_COUNT] = {
    [SETTING_theme] = "Colours",     [SETTING_characters] = "Characters",
    [SETTING_interval] = "Interval", [SETTING_sort] = "Sort by",
    [SETTING_reverse] = "Reversed",  [SETTING_all] = "All processes",
    [SETTING_tree] = "Tree",         [SETTING_charts] = "Charts",
    [SETTING_mouse] = "Mouse",
};

/* The chosen columns, and with them the config's list. */
static void take_columns(struct ui *ui)
{
    const struct setup *setup = &ui->setup;
    char words[CONFIG_VALUE_SIZE] = "";
    size_t used = 0;
    ui->shown.count = 0;
    for (size_t i = 0; i < setup->all.count; i++) {
        enum column column = setup->all.columns[i];
        if (!setup->shown[column])
            continue;
        ui->shown.columns[ui->shown.count++] = column;
        int length = snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? " " : "",
                              column_traits(column)->name);
        used += length > 0 ? (size_t)length : 0;
    }
    setup_keep(ui, SETTING_columns, words);
}

static void toggle_column(struct ui *ui, size_t place)
{
    struct setup *setup = &ui->setup;
    enum column column = setup->all.columns[place];
    if (setup->shown[column] && ui->shown.count == 1) {
        ui_say(ui, STYLE_NORMAL, "one column has to stay");
        return;
    }
    setup->shown[column] = !setup->shown[column];
    take_columns(ui);
}

static void move_column(struct ui *ui, size_t place, int by)
{
    struct column_layout *all = &ui->setup.all;
    if ((by < 0 && place == 0) || (by > 0 && place + 1 == all->count))
        return;
    size_t other = by < 0 ? place - 1 : place + 1;
    enum column column = all->columns[place];
    all->columns[place] = all->columns[other];
    all->columns[other] = column;
    ui->setup.at = ITEM_COUNT + other;
    take_columns(ui);
}

void setup_open(struct ui *ui)
{
    struct setup *setup = &ui->setup;
    struct column_layout all;
    *setup = (struct setup){.all = ui->shown};
    for (size_t i = 0; i < ui->shown.count; i++)
        setup->shown[ui->shown.columns[i]] = true;
    columns_default(&all);
    for (size_t i = 0; i < all.count; i++)
        (void)columns_put(&setup->all, setup->all.count, all.columns[i]);
    for (int i = 0; i < COLUMN_COUNT; i++)
        (void)columns_put(&setup->all, setup->all.count, (enum column)i);
    ui->overlay = &setup_panel;
}

static void default_columns(struct ui *ui)
{
    columns_default(&ui->shown);
    size_t at = ui->setup.at;
    setup_open(ui);
    ui->setup.at = at;
    take_columns(ui);
}

static void change(struct ui *ui, int by)
{
    size_t at = ui->setup.at;
    if (at < ITEM_COUNT)
        setup_change(ui, items[at], by);
    else
        move_column(ui, at - ITEM_COUNT, by);
}

static void press(struct ui *ui)
{
    if (ui->setup.at < ITEM_COUNT)
        change(ui, 1);
    else
        toggle_column(ui, ui->setup.at - ITEM_COUNT);
}

static void move(struct ui *ui, long by)
{
    long last = (long)(ITEM_COUNT + ui->setup.all.count) - 1, at = (long)ui->setup.at + by;
    ui->setup.at = (size_t)(at < 0 ? 0 : at > last ? last : at);
}

static void close_setup(struct ui *ui)
{
    ui->overlay = NULL;
    saving_start_config(ui);
}

static bool setup_key(struct ui *ui, uint32_t key)
{
    enum { PAGE = 10, ALL = 1000 };
    switch (key) {
    case SCREEN_KEY_UP:
        move(ui, -1);
        break;
    case SCREEN_KEY_DOWN:
    case SCREEN_KEY_TAB:
        move(ui, 1);
        break;
    case SCREEN_KEY_PAGE_UP:
        move(ui, -PAGE);
        break;
    case SCREEN_KEY_PAGE_DOWN:
        move(ui, PAGE);
        break;
    case SCREEN_KEY_HOME:
        move(ui, -ALL);
        break;
    case SCREEN_KEY_END:
        move(ui, ALL);
        break;
    case SCREEN_KEY_LEFT:
    case '-':
        change(ui, -1);
        break;
    case SCREEN_KEY_RIGHT:
    case '+':
        change(ui, 1);
        break;
    case SCREEN_KEY_ENTER:
    case ' ':
        press(ui);
        break;
    case 'd':
        default_columns(ui);
        break;
    case SCREEN_KEY_ESCAPE:
    case SCREEN_KEY_F1 + 1:
    case SCREEN_KEY_F1 + 9:
    case SCREEN_KEY_F12:
    case 'C':
    case 'q':
        close_setup(ui);
        break;
    default:
        return key != SCREEN_KEY_CONTROL('c');
    }
    return true;
}

/* The line of an item: a blank one and a heading stand between settings and columns. */
static size_t line_of(size_t item)
{
    return item < ITEM_COUNT ? item : item + HEADINGS;
}

/* What an item does, where there is room for a word or two. */
static void draw_hint(struct ui *ui, struct rectangle line, int x, const char *words)
{
    enum { HINT_LEAST = 20 };
    if (line.width - x >= HINT_LEAST)
        draw_cut(ui->screen, line.x + x, line.y, line.width - x, words, STYLE_DIM);
}

static void draw_setting(struct ui *ui, struct rectangle line, enum setting setting, bool selected)
{
    char value[SETUP_VALUE_SIZE];
    setup_read(ui, setting, value);
    screen_put_in(ui->screen, line.x + 1, line.y, line.width - 1,
                  (struct text){labels[setting], strlen(labels[setting])}, STYLE_NORMAL);
    const char *unit = setting == SETTING_interval ? " s" : "";
    int x = line.x + VALUE_X;
    x += screen_print(ui->screen, x, line.y, selected ? "< " : "  ", STYLE_KEY);
    x += screen_print(ui->screen, x, line.y, value, STYLE_TITLE);
    x += screen_print(ui->screen, x, line.y, unit, STYLE_TITLE);
    screen_print(ui->screen, x, line.y, selected ? " >" : "", STYLE_KEY);
    const char *help = setting_info(setting)->help;
    draw_hint(ui, line, HELP_X, help);
}

static void draw_column(struct ui *ui, struct rectangle line, enum column column)
{
    const struct column_traits *traits = column_traits(column);
    bool shown = ui->setup.shown[column];
    screen_print(ui->screen, line.x + 1, line.y, shown ? "[x]" : "[ ]",
                 shown ? STYLE_KEY : STYLE_DIM);
    screen_print(ui->screen, line.x + 5, line.y, traits->heading, shown ? STYLE_TITLE : STYLE_DIM);
    draw_hint(ui, line, VALUE_X + 2, traits->help);
}

static void draw_line(struct ui *ui, struct rectangle line, size_t number)
{
    if (number < ITEM_COUNT) {
        draw_setting(ui, line, items[number], number == ui->setup.at);
    } else if (number == ITEM_COUNT + 1) {
        screen_print(ui->screen, line.x, line.y, "Columns", STYLE_TITLE);
        draw_cut(ui->screen, line.x + VALUE_X + 2, line.y, line.width - VALUE_X - 2,
                 "Space shows or hides, Left and Right move, d: the built-in choice", STYLE_DIM);
    } else if (number > ITEM_COUNT + 1) {
        draw_column(ui, line, ui->setup.all.columns[number - ITEM_COUNT - HEADINGS]);
    }
    if (number == line_of(ui->setup.at))
        screen_select(ui->screen, line.x, line.y, line.width);
}

/* The words of the selected item in full, where its own line cuts them. */
static struct rectangle draw_help(struct ui *ui, struct rectangle inside)
{
    enum { LINES = 2, ROOM_FOR_ALL = 140, LEAST = 6 };
    size_t at = ui->setup.at;
    const char *words = at < ITEM_COUNT
                            ? setting_info(items[at])->help
                            : column_traits(ui->setup.all.columns[at - ITEM_COUNT])->help;
    if (inside.width >= ROOM_FOR_ALL || inside.height < LEAST)
        return inside;
    inside.height -= LINES + 1;
    int y = inside.y + inside.height;
    screen_repeat(ui->screen, inside.x, y, inside.width, SYMBOL_DASHED, STYLE_DIM);
    page_start(&ui->page, inside.width, ui->ascii);
    page_wrap(&ui->page, STYLE_NORMAL, 0, LINES, (struct text){words, strlen(words)});
    page_draw(&ui->page, ui->screen, (struct rectangle){inside.x, y + 1, inside.width, LINES}, 0);
    return inside;
}

static void setup_draw(struct ui *ui, struct rectangle area)
{
    struct setup *setup = &ui->setup;
    struct rectangle inside = draw_box(ui->screen, area, "Setup",
                                       "Up/Down choose, Left/Right change, Esc closes and saves");
    inside = draw_help(ui, inside);
    size_t lines = inside.height > 0 ? (size_t)inside.height : 1, at = line_of(setup->at);
    size_t count = line_of(ITEM_COUNT + setup->all.count);
    setup->lines = lines;
    if (at < setup->first)
        setup->first = at;
    if (at >= setup->first + lines)
        setup->first = at - lines + 1;
    if (setup->first + lines > count)
        setup->first = count > lines ? count - lines : 0;
    for (size_t i = 0; i < lines && setup->first + i < count; i++)
        draw_line(ui, (struct rectangle){inside.x, inside.y + (int)i, inside.width, 1},
                  setup->first + i);
}

static void setup_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    if (event->action != MOUSE_PRESS) {
        move(ui, event->action == MOUSE_WHEEL_UP ? -1 : 1);
        return;
    }
    size_t line = ui->setup.first + (size_t)(event->y - area.y - 1);
    if (event->y <= area.y || line >= ui->setup.first + ui->setup.lines)
        return;
    for (size_t item = 0; item < ITEM_COUNT + ui->setup.all.count; item++)
        if (line_of(item) == line) {
            ui->setup.at = item;
            press(ui);
        }
}

const struct panel setup_panel = {.draw = setup_draw, .key = setup_key, .mouse = setup_mouse};

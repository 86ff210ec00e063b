/* A list to choose from: the column to sort by, the user to show, the chart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "present/tui/ui.h"

static void add(struct ui *ui, const char *words, size_t size)
{
    struct menu *menu = &ui->menu;
    for (size_t i = 0; i < menu->count; i++)
        if (strlen(menu->labels[i]) == size && memcmp(menu->labels[i], words, size) == 0)
            return;
    if (menu->count >= MENU_MAX || size >= USER_SIZE)
        return;
    memcpy(menu->labels[menu->count], words, size);
    menu->labels[menu->count++][size] = '\0';
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void fill_users(struct ui *ui)
{
    for (size_t i = 0; ui->snapshot != NULL && i < ui->snapshot->process_count; i++) {
        struct text user = ui->snapshot->processes[i].user;
        if (!text_is_none(user) && user.size > 0)
            add(ui, user.utf8, user.size);
    }
    qsort(ui->menu.labels, ui->menu.count, sizeof ui->menu.labels[0], compare);
    /* "All" comes first, and is none of the names. */
    if (ui->menu.count == MENU_MAX)
        ui->menu.count--;
    memmove(ui->menu.labels[1], ui->menu.labels[0], ui->menu.count * sizeof ui->menu.labels[0]);
    ui->menu.labels[0][0] = '\0';
    ui->menu.count++;
}

void menu_open(struct ui *ui, enum menu_kind kind)
{
    ui->menu = (struct menu){.kind = kind};
    if (kind == MENU_CHART) {
        for (size_t place = 0; place <= CHART_COUNT; place++)
            charts_picker_label(ui, place, ui->menu.labels[place], MENU_LABEL_SIZE);
        ui->menu.count = CHART_COUNT + 1;
        ui->menu.at = ui->charts.mode == CHARTS_ONE ? (size_t)ui->charts.chosen + 1 : 0;
    } else if (kind == MENU_USER) {
        fill_users(ui);
        for (size_t i = 0; i < ui->menu.count; i++)
            if (strcmp(ui->menu.labels[i], ui->user) == 0)
                ui->menu.at = i;
    } else {
        for (int column = 0; column < COLUMN_COUNT; column++) {
            const char *heading = column_traits((enum column)column)->heading;
            add(ui, heading, strlen(heading));
        }
        ui->menu.at = (size_t)ui->sort;
    }
    ui->overlay = &menu_panel;
}

static void choose(struct ui *ui)
{
    struct menu *menu = &ui->menu;
    if (menu->kind == MENU_CHART) {
        ui->overlay = charts_choose(ui, menu->at) ? NULL : ui->overlay;
        return;
    }
    if (menu->kind == MENU_USER) {
        memcpy(ui->user, menu->labels[menu->at], sizeof ui->user);
    } else {
        ui->sort = (enum column)menu->at;
        ui->reverse = false;
    }
    ui->overlay = NULL;
    ui_rebuild(ui);
}

static bool menu_key(struct ui *ui, uint32_t key)
{
    struct menu *menu = &ui->menu;
    switch (key) {
    case SCREEN_KEY_UP:
        menu->at = menu->at > 0 ? menu->at - 1 : 0;
        break;
    case SCREEN_KEY_DOWN:
        menu->at = menu->at + 1 < menu->count ? menu->at + 1 : menu->at;
        break;
    case SCREEN_KEY_HOME:
        menu->at = 0;
        break;
    case SCREEN_KEY_END:
        menu->at = menu->count - 1;
        break;
    case SCREEN_KEY_ENTER:
    case ' ':
        choose(ui);
        break;
    case SCREEN_KEY_ESCAPE:
    case 'q':
        ui->overlay = NULL;
        break;
    default:
        return key != SCREEN_KEY_CONTROL('c');
    }
    return true;
}

/* The first entry in sight of a list of `lines`. */
static size_t first_shown(const struct menu *menu, size_t lines)
{
    return menu->at >= lines ? menu->at - lines + 1 : 0;
}

static struct rectangle box_of(const struct ui *ui, struct rectangle area)
{
    int wish = 40;
    for (size_t i = 0; i < ui->menu.count; i++) {
        int length = (int)strlen(ui->menu.labels[i]) + 6;
        wish = length > wish ? length : wish;
    }
    int width = area.width < wish ? area.width : wish;
    int height = (int)ui->menu.count + 2 < area.height ? (int)ui->menu.count + 2 : area.height;
    return (struct rectangle){area.x + (area.width - width) / 2,
                              area.y + (area.height - height) / 2, width, height};
}

static void menu_draw(struct ui *ui, struct rectangle area)
{
    static const char *const titles[] = {
        [MENU_SORT] = "Sort by", [MENU_USER] = "User", [MENU_CHART] = "Chart"};
    const struct menu *menu = &ui->menu;
    struct rectangle inside =
        draw_box(ui->screen, box_of(ui, area), titles[menu->kind], "Enter chooses, Esc closes");
    size_t lines = inside.height > 0 ? (size_t)inside.height : 1, first = first_shown(menu, lines);
    for (size_t i = 0; i < lines && first + i < menu->count; i++) {
        int y = inside.y + (int)i;
        const char *words = menu->labels[first + i];
        draw_cut(ui->screen, inside.x + 1, y, inside.width - 1,
                 words[0] != '\0' ? words : "all users", STYLE_NORMAL);
        if (first + i == menu->at)
            screen_select(ui->screen, inside.x, y, inside.width);
    }
}

static void menu_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    struct rectangle box = box_of(ui, area);
    if (event->action != MOUSE_PRESS) {
        menu_key(ui, event->action == MOUSE_WHEEL_UP ? SCREEN_KEY_UP : SCREEN_KEY_DOWN);
        return;
    }
    size_t lines = box.height > 2 ? (size_t)box.height - 2 : 1;
    size_t at = first_shown(&ui->menu, lines) + (size_t)(event->y - box.y - 1);
    bool inside = event->x > box.x && event->x < box.x + box.width - 1 && event->y > box.y &&
                  event->y < box.y + box.height - 1 && at < ui->menu.count;
    if (!inside) {
        ui->overlay = NULL;
        return;
    }
    ui->menu.at = at;
    choose(ui);
}

const struct panel menu_panel = {.draw = menu_draw, .key = menu_key, .mouse = menu_mouse};

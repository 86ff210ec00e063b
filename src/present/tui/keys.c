#include <string.h>

#include "present/tui/ui.h"

enum action {
#define ACTION(name, rank, label, group, words) ACTION_##name,
#define KEY(action, key, name)
#include "present/tui/keys.def"
#undef ACTION
#undef KEY
    ACTION_COUNT
};

static const struct {
    const char *label, *group, *words;
    int rank;
    void (*run)(struct ui *ui, uint32_t key);
} actions[ACTION_COUNT] = {
#define ACTION(name, rank_in_bar, label_in_bar, group_name, help)                                  \
    [ACTION_##name] = {.label = (label_in_bar),                                                    \
                       .group = (group_name),                                                      \
                       .words = (help),                                                            \
                       .rank = (rank_in_bar),                                                      \
                       .run = action_##name},
#define KEY(action, key, name)
#include "present/tui/keys.def"
#undef ACTION
#undef KEY
};

static const struct {
    enum action action;
    uint32_t key;
    const char *name;
} keys[] = {
#define ACTION(name, rank, label, group, words)
#define KEY(action, code, key_name) {ACTION_##action, (uint32_t)(code), key_name},
#include "present/tui/keys.def"
#undef ACTION
#undef KEY
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Keys of a replay are there while one is shown, that of the shell where it can be gone back to. */
static bool is_offered(const struct ui *ui, size_t action)
{
    if (action == ACTION_stop)
        return screen_can_stop(ui->screen);
    return ui->state.can_seek || strcmp(actions[action].group, "Replay") != 0;
}

void keys_dispatch(struct ui *ui, uint32_t key)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (keys[i].key == key && is_offered(ui, keys[i].action)) {
            actions[keys[i].action].run(ui, key);
            return;
        }
    }
}

bool keys_have(const struct ui *ui, uint32_t key)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (keys[i].key == key && is_offered(ui, keys[i].action))
            return true;
    return false;
}

static size_t first_key(enum action action)
{
    size_t i = 0;
    while (i + 1 < KEY_COUNT && keys[i].action != action)
        i++;
    return i;
}

static void write_keys(struct page *page, enum action action)
{
    size_t count = 0, first = KEY_COUNT, last = 0;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (keys[i].action != action)
            continue;
        first = first == KEY_COUNT ? i : first;
        last = i;
        count++;
    }
    /* A run of digits is written as one. */
    if (count > 4) {
        page_format(page, STYLE_KEY, "%s ... %s", keys[first].name, keys[last].name);
        return;
    }
    for (size_t i = first; i <= last && i < KEY_COUNT; i++) {
        page_words(page, STYLE_KEY, keys[i].name);
        if (i != last)
            page_words(page, STYLE_DIM, "  ");
    }
}

size_t keys_help(const struct ui *ui, struct page *page)
{
    const char *group = "";
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        if (!is_offered(ui, i))
            continue;
        if (strcmp(group, actions[i].group) != 0) {
            group = actions[i].group;
            page_line(page, 0);
            page_line(page, 0);
            page_words(page, STYLE_TITLE, group);
        }
        page_line(page, 2);
        write_keys(page, (enum action)i);
        page_column(page, 18);
        page_wrap(page, STYLE_NORMAL, 18, 0,
                  (struct text){actions[i].words, strlen(actions[i].words)});
    }
    return page->line_count;
}

static int entry_width(size_t action)
{
    return (int)strlen(keys[first_key((enum action)action)].name) +
           (int)strlen(actions[action].label) + 3;
}

/* The highest rank that still fits with all below it. */
static int rank_that_fits(const struct ui *ui, int width)
{
    int best = 0;
    for (int rank = 1; rank < 32; rank++) {
        int wanted = 1;
        for (size_t i = 0; i < ACTION_COUNT; i++)
            if (actions[i].rank > 0 && actions[i].rank <= rank && is_offered(ui, i))
                wanted += entry_width(i);
        if (wanted <= width)
            best = rank;
    }
    return best;
}

static void key_bar_draw(struct ui *ui, struct rectangle area)
{
    int most = rank_that_fits(ui, area.width), x = area.x + 1;
    ui->key_area_count = 0;
    for (int pass = 1; pass <= most; pass++)
        for (size_t i = 0; i < ACTION_COUNT; i++) {
            if (actions[i].rank != pass || ui->key_area_count >= KEY_AREAS_MAX ||
                !is_offered(ui, i))
                continue;
            const char *name = keys[first_key((enum action)i)].name;
            int begin = x;
            x += screen_print(ui->screen, x, area.y, name, STYLE_KEY);
            /* A one-letter key and its word would run into one: "qQuit". */
            x += screen_format(ui->screen, x, area.y, STYLE_KEY_LABEL, " %s", actions[i].label);
            ui->key_areas[ui->key_area_count++] = (struct key_area){
                .x = begin, .width = x - begin, .key = keys[first_key((enum action)i)].key};
            x += 2;
        }
}

static void key_bar_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    (void)area;
    for (size_t i = 0; i < ui->key_area_count; i++)
        if (event->action == MOUSE_PRESS && event->x >= ui->key_areas[i].x &&
            event->x < ui->key_areas[i].x + ui->key_areas[i].width)
            keys_dispatch(ui, ui->key_areas[i].key);
}

const struct panel key_bar_panel = {.draw = key_bar_draw, .mouse = key_bar_mouse};

/* The events pane: what happened while the screen has been open, newest first. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "present/tui/ui.h"

enum { TEXT_X = 10, CLOCK_SIZE = 16, NOTICE_SECONDS = 20 };

static bool is_trouble(const struct logged_event *event)
{
    static const char *const kinds[] = {"adapter_lost", "out_of_memory_risk", "throttle_began"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(event->kind, kinds[i]) == 0)
            return true;
    return false;
}

static void clock_of(int64_t at_ns, char out[CLOCK_SIZE])
{
    time_t at = (time_t)(at_ns / 1000000000);
    const struct tm *local = localtime(&at);
    if (local == NULL || strftime(out, CLOCK_SIZE, "%H:%M:%S", local) == 0)
        out[0] = '\0';
}

/* `place` counts from the newest. */
static const struct logged_event *event_at(const struct ui *ui, size_t place)
{
    return place < ui->events.count ? &ui->events.items[ui->events.count - 1 - place] : NULL;
}

void events_take(struct ui *ui)
{
    size_t taken = event_log_take(&ui->events, ui->snapshot);
    if (taken == 0)
        return;
    ui->notice_until_ns = ui_now_ns() + NOTICE_SECONDS * 1000000000LL;
    /* The list grows at its top: what is read stays where it is. */
    if (ui->overlay == &events_panel && ui->event_at > 0)
        ui->event_at += taken;
}

bool events_draw_notice(struct ui *ui, struct rectangle area)
{
    const struct logged_event *event = event_at(ui, 0);
    char clock[CLOCK_SIZE];
    if (event == NULL || ui_now_ns() >= ui->notice_until_ns)
        return false;
    clock_of(event->at_ns, clock);
    int x = area.x + 1;
    x += screen_format(ui->screen, x, area.y, STYLE_DIM, "%s  ", clock);
    x += screen_print(ui->screen, x, area.y, event->text,
                      is_trouble(event) ? STYLE_TROUBLE : STYLE_NORMAL);
    screen_print(ui->screen, x, area.y, "  (e: all events)", STYLE_DIM);
    return true;
}

void events_open(struct ui *ui)
{
    ui->event_at = ui->event_first = 0;
    ui->overlay = &events_panel;
}

/* Only a listed process can be selected. */
static void choose(struct ui *ui)
{
    const struct logged_event *event = event_at(ui, ui->event_at);
    if (event == NULL || event->process[0] == '\0') {
        ui_say(ui, STYLE_NORMAL, "this event is about no process");
        return;
    }
    for (size_t i = 0; i < ui->rows.count; i++)
        if (text_equal_string(ui->rows.items[i].process->id, event->process)) {
            ui_select_row(ui, i);
            ui->overlay = NULL;
            return;
        }
    bool lives = false;
    for (size_t i = 0; i < ui->snapshot->process_count; i++)
        lives = lives || text_equal_string(ui->snapshot->processes[i].id, event->process);
    ui_say(ui, STYLE_NORMAL, "%s",
           lives ? "its process is not in the list: a, 0 and Esc show more"
                 : "its process has ended");
}

static bool events_key(struct ui *ui, uint32_t key)
{
    size_t last = ui->events.count > 0 ? ui->events.count - 1 : 0;
    size_t page = ui->layout.table.height > 1 ? (size_t)ui->layout.table.height : 1;
    size_t at = ui->event_at;
    switch (key) {
    case SCREEN_KEY_UP:
        at = at > 0 ? at - 1 : 0;
        break;
    case SCREEN_KEY_DOWN:
        at++;
        break;
    case SCREEN_KEY_PAGE_UP:
        at = at > page ? at - page : 0;
        break;
    case SCREEN_KEY_PAGE_DOWN:
        at += page;
        break;
    case SCREEN_KEY_HOME:
        at = 0;
        break;
    case SCREEN_KEY_END:
        at = last;
        break;
    case SCREEN_KEY_ENTER:
        choose(ui);
        return true;
    case SCREEN_KEY_ESCAPE:
    case 'q':
    case 'e':
        ui->overlay = NULL;
        return true;
    default:
        /* Pausing and leaving work here too; other letters do nothing behind the pane. */
        return key != SCREEN_KEY_CONTROL('c') && key != 'p' && key != SCREEN_KEY_F1 + 9;
    }
    ui->event_at = at > last ? last : at;
    return true;
}

static void draw_event(struct ui *ui, struct rectangle line, size_t place)
{
    const struct logged_event *event = event_at(ui, place);
    char clock[CLOCK_SIZE];
    clock_of(event->at_ns, clock);
    screen_print(ui->screen, line.x, line.y, clock, STYLE_DIM);
    draw_cut(ui->screen, line.x + TEXT_X, line.y, line.width - TEXT_X, event->text,
             is_trouble(event) ? STYLE_TROUBLE : STYLE_NORMAL);
    if (place == ui->event_at)
        screen_select(ui->screen, line.x, line.y, line.width);
}

static void events_draw(struct ui *ui, struct rectangle area)
{
    char title[48], since[CLOCK_SIZE] = "";
    (void)snprintf(title, sizeof title, "Events, newest first (%zu)", ui->events.count);
    struct rectangle inside =
        draw_box(ui->screen, area, title, "Enter selects the process, Esc closes");
    size_t lines = inside.height > 0 ? (size_t)inside.height : 1;
    if (ui->event_at < ui->event_first)
        ui->event_first = ui->event_at;
    if (ui->event_at >= ui->event_first + lines)
        ui->event_first = ui->event_at - lines + 1;
    if (ui->events.count == 0) {
        clock_of(ui->events.began_at_ns, since);
        screen_format(ui->screen, inside.x, inside.y, STYLE_DIM,
                      ui->events.began_at_ns == 0 ? "nothing has been seen yet"
                                                  : "nothing has happened since %s",
                      since);
    }
    for (size_t i = 0; i < lines && ui->event_first + i < ui->events.count; i++)
        draw_event(ui, (struct rectangle){inside.x, inside.y + (int)i, inside.width, 1},
                   ui->event_first + i);
}

static void events_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    if (event->action != MOUSE_PRESS) {
        events_key(ui, event->action == MOUSE_WHEEL_UP ? SCREEN_KEY_UP : SCREEN_KEY_DOWN);
        return;
    }
    size_t place = ui->event_first + (size_t)(event->y - area.y - 1);
    if (event->y > area.y && event->y < area.y + area.height - 1 && place < ui->events.count) {
        ui->event_at = place;
        choose(ui);
    }
}

const struct panel events_panel = {.draw = events_draw, .key = events_key, .mouse = events_mouse};

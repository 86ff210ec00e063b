#include "present/tui/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "present/tui/ui.h"

enum { SAVING_POLL_MS = 50 };

/* Each part of the screen and where it is drawn. */
struct place {
    const struct panel *panel;
    const struct rectangle *area;
};

enum { PLACES = 8 };

static void list_places(const struct ui *ui, struct place places[PLACES])
{
    const struct layout *layout = &ui->layout;
    places[0] = (struct place){&header_panel, &layout->header};
    places[1] = (struct place){&adapters_panel, &layout->adapters};
    places[2] = (struct place){&table_panel, &layout->table};
    places[3] = (struct place){&inspector_panel, &layout->inspector};
    places[4] = (struct place){&key_bar_panel, &layout->keys};
    places[5] = (struct place){&status_panel, &layout->status}; /* on a low screen over the keys */
    places[6] = (struct place){&charts_panel, &layout->charts};
    places[7] = (struct place){&transport_panel, &layout->transport};
}

/* What an overlay may cover: all but the header and the last line. */
static struct rectangle overlay_area(const struct ui *ui)
{
    const struct layout *layout = &ui->layout;
    int y = layout->header.y + 1 + layout->transport.height;
    return (struct rectangle){0, y, layout->header.width, layout->keys.y - y};
}

static void draw_too_small(struct ui *ui)
{
    char words[64];
    (void)snprintf(words, sizeof words, "%dx%d is too small: %dx%d needed",
                   screen_width(ui->screen), screen_height(ui->screen), LAYOUT_LEAST_WIDTH,
                   LAYOUT_LEAST_HEIGHT);
    int width = screen_width(ui->screen), y = 0;
    for (size_t at = 0; at < strlen(words) && width > 0; at += (size_t)width, y++)
        screen_put(ui->screen, 0, y, (struct text){words + at, strlen(words + at)}, STYLE_NORMAL);
}

static void draw(struct ui *ui)
{
    struct layout_wish wish = {.width = screen_width(ui->screen),
                               .height = screen_height(ui->screen),
                               .adapter_count =
                                   ui->snapshot != NULL ? ui->snapshot->adapter_count : 0,
                               .focused = ui_focused(ui),
                               .inspector_lines = ui->inspector_wish,
                               .charts = charts_wish(ui),
                               .transport = ui->state.can_seek};
    layout_make(&wish, &ui->layout);
    screen_begin(ui->screen);
    if (ui->layout.too_small) {
        draw_too_small(ui);
    } else {
        struct place places[PLACES];
        list_places(ui, places);
        for (size_t i = 0; i < PLACES; i++)
            places[i].panel->draw(ui, *places[i].area);
        if (ui->overlay != NULL)
            ui->overlay->draw(ui, overlay_area(ui));
    }
    screen_end(ui->screen);
    ui->dirty = false;
}

/* Tells the source what is in sight, when that changed: some figures cost something. */
static void tell_wanted(struct ui *ui)
{
    struct wanted wanted = {
        .selected = ui->has_selection ? ui->selected : (struct identity){0},
        .idle_may_wait = true,
    };
    for (size_t i = 0; i < ui->layout.slot_count; i++)
        wanted.pcie_rates = wanted.pcie_rates || ui->layout.slots[i].form == ADAPTER_FULL;
    wanted.pcie_rates = wanted.pcie_rates || charts_show(ui, CHART_pcie);
    if (wanted.pcie_rates == ui->wanted.pcie_rates &&
        identity_equal(wanted.selected, ui->wanted.selected))
        return;
    ui->wanted = wanted;
    struct source_request request = {.kind = SOURCE_SET_WANTED, .wanted = wanted};
    (void)source_request(ui->source, &request);
}

static bool transport_changed(const struct source_state_view *a, const struct source_state_view *b)
{
    return a->speed != b->speed || a->can_seek != b->can_seek ||
           a->position.is_seeking != b->position.is_seeking ||
           a->position.read_share != b->position.read_share ||
           a->position.frame_count != b->position.frame_count;
}

static void take_snapshot(struct ui *ui)
{
    struct source_state_view before = ui->state;
    source_get_state(ui->source, &ui->state);
    if (ui->state.paused != before.paused || ui->state.interval_ns != before.interval_ns ||
        ui->state.at_end != before.at_end || transport_changed(&before, &ui->state))
        ui->dirty = true;
    if (strcmp(ui->state.last_failure.text, ui->last_failure) != 0) {
        memcpy(ui->last_failure, ui->state.last_failure.text, sizeof ui->last_failure);
        if (ui->last_failure[0] != '\0')
            ui_say(ui, STYLE_TROUBLE, "%s", ui->last_failure);
    }
    struct snapshot *newest = source_newest(ui->source);
    if (newest == NULL)
        return;
    if (ui->snapshot != NULL && newest->sequence == ui->snapshot->sequence) {
        snapshot_drop(&newest);
        return;
    }
    /* The rows refer into the old one until they are built anew. */
    struct snapshot *old = ui->snapshot;
    ui->snapshot = newest;
    if (old == NULL || ui->focused[0] == '\0')
        ui_focus(ui, 0);
    ui_rebuild(ui);
    events_take(ui);
    snapshot_drop(&old);
}

static void key(struct ui *ui, uint32_t code)
{
    ui->dirty = true;
    /* Esc and a key after it in one go are told from Alt by what they mean here. */
    if (code >= SCREEN_KEY_ALT(0) && !keys_have(ui, code)) {
        key(ui, SCREEN_KEY_ESCAPE);
        code &= ~SCREEN_KEY_ALT(0);
    }
    /* These two mean the terminal, whatever is open. */
    if (code == SCREEN_KEY_CONTROL('z') || code == SCREEN_KEY_CONTROL('l')) {
        keys_dispatch(ui, code);
        return;
    }
    if (ui->layout.too_small) {
        if (code == 'q' || code == SCREEN_KEY_CONTROL('c'))
            ui->leave = true;
        return;
    }
    if (ui->prompt.kind != PROMPT_NONE) {
        prompt_key(ui, code);
        return;
    }
    if (ui->overlay != NULL && ui->overlay->key != NULL && ui->overlay->key(ui, code))
        return;
    if (code != SCREEN_KEY_ESCAPE)
        ui->message[0] = '\0';
    if (map_focus_key(ui, code))
        return;
    keys_dispatch(ui, code);
}

/* The first line of the inspector is the handle of the split between it and the table. */
static bool drag_split(struct ui *ui, const struct screen_event *event)
{
    const struct rectangle *inspector = &ui->layout.inspector;
    if (event->action == MOUSE_RELEASE) {
        ui->dragging = false;
        return true;
    }
    if (event->action == MOUSE_DRAG) {
        if (ui->dragging)
            ui->inspector_wish = inspector->y + inspector->height - event->y > 2
                                     ? inspector->y + inspector->height - event->y
                                     : 2;
        return true;
    }
    ui->dragging = event->action == MOUSE_PRESS && ui->overlay == NULL && inspector->height > 0 &&
                   event->y == inspector->y;
    return false;
}

static void mouse(struct ui *ui, const struct screen_event *event)
{
    struct place places[PLACES];
    ui->dirty = true;
    if (ui->layout.too_small || drag_split(ui, event))
        return;
    if (ui->overlay != NULL) {
        if (ui->overlay->mouse != NULL)
            ui->overlay->mouse(ui, overlay_area(ui), event);
        return;
    }
    list_places(ui, places);
    for (size_t i = 0; i < PLACES; i++) {
        const struct rectangle *area = places[i].area;
        if (places[i].panel->mouse != NULL && event->x >= area->x &&
            event->x < area->x + area->width && event->y >= area->y &&
            event->y < area->y + area->height) {
            places[i].panel->mouse(ui, *area, event);
            return;
        }
    }
}

/* When there is something to do without a key or a snapshot: a message ends, a pause grows older.
 */
static int64_t next_deadline(const struct ui *ui)
{
    int64_t now = ui_now_ns(), until = INT64_MAX;
    if (ui->message[0] != '\0')
        until = ui->message_until_ns;
    if (now < ui->notice_until_ns && ui->notice_until_ns < until)
        until = ui->notice_until_ns;
    if (ui->saving != NULL && now + SAVING_POLL_MS * 1000000LL < until)
        until = now + SAVING_POLL_MS * 1000000LL;
    if (ui->state.paused) {
        int64_t age = now - ui->state.paused_since_ns, second = 1000000000;
        int64_t step = age < 60 * second ? second : 60 * second;
        int64_t tick = now + step - age % step;
        until = tick < until ? tick : until;
    }
    return until;
}

static bool notice_ended(struct ui *ui)
{
    bool ended = ui->notice_until_ns != 0 && ui_now_ns() >= ui->notice_until_ns;
    if (ended)
        ui->notice_until_ns = 0;
    return ended;
}

static void expire(struct ui *ui)
{
    if (ui->message[0] != '\0' && ui_now_ns() >= ui->message_until_ns) {
        ui->message[0] = '\0';
        ui->dirty = true;
    }
    ui->dirty = ui->dirty || ui->state.paused || notice_ended(ui);
}

static void handle(struct ui *ui, const struct screen_event *event)
{
    switch (event->kind) {
    case SCREEN_KEY:
        key(ui, event->key);
        break;
    case SCREEN_MOUSE:
        mouse(ui, event);
        break;
    case SCREEN_RESIZE:
        ui->dirty = true;
        break;
    case SCREEN_QUIT:
        ui->leave = true;
        ui->exit_status = 128 + event->signal_number;
        break;
    case SCREEN_GONE:
        ui->leave = true;
        ui->exit_status = 1;
        break;
    case SCREEN_WAKE:
        break;
    case SCREEN_TIMEOUT:
        expire(ui);
        break;
    }
}

static void loop(struct ui *ui)
{
    struct wake *const wakes[] = {ui->options->snapshots};
    while (!ui->leave) {
        if (ui->dirty) {
            draw(ui);
            tell_wanted(ui);
        }
        struct screen_event event = screen_wait(ui->screen, next_deadline(ui), wakes, 1);
        handle(ui, &event);
        saving_poll(ui);
        take_snapshot(ui);
    }
}

static void ui_free(struct ui *ui)
{
    saving_end(ui);
    rows_free(&ui->rows);
    page_free(&ui->page);
    memory_map_free(&ui->map);
    memory_bar_free(&ui->bar);
    event_log_free(&ui->events);
    free(ui->tags.items);
    free(ui->confirm.targets.items);
    snapshot_drop(&ui->snapshot);
    free(ui);
}

int tui_run(struct source *source, const struct tui_options *options, struct problem *problem)
{
    struct screen *screen = screen_open(&options->screen, problem);
    if (screen == NULL)
        return 1;
    struct ui *ui = memory_new(sizeof *ui);
    ui->screen = screen;
    ui->source = source;
    ui->options = options;
    ui->ascii = screen_glyphs(screen) == GLYPHS_ASCII;
    ui->blocks = options->blocks;
    ui->braille = options->braille;
    ui->wants_ascii = options->screen.ascii;
    ui->theme = options->screen.theme;
    ui->sort = options->sort;
    ui->reverse = options->reverse;
    ui->all = options->all;
    ui->tree = options->tree;
    ui->shown = options->columns;
    setup_take_charts(ui, options->charts);
    if (options->config != NULL && options->config->problem_count > 0)
        ui_say(ui, STYLE_MARK, "%s", options->config->problems[0].text);
    draw(ui);
    source_notify(source, options->snapshots);
    take_snapshot(ui);
    loop(ui);
    source_notify(source, NULL);
    screen_close(&screen);
    int status = ui->exit_status;
    ui_free(ui);
    return status;
}

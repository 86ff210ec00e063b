/* A recording being played: the line below the header with the place in it, and its keys. */
#include <stdio.h>
#include <string.h>

#include "present/tui/ui.h"
#include "view/play_time.h"
#include "view/units.h"

/* The bar keeps its width whatever stands behind it. */
enum { WORDS_SIZE = 96, BAR_LEAST = 10, BAR_MOST = 64, REMARK_WIDTH = 20, NAME_FROM_WIDTH = 110 };
#define SECOND_NS 1000000000LL

static void ask(struct ui *ui, const struct source_request *request)
{
    if (!source_request(ui->source, request))
        ui_say(ui, STYLE_NORMAL, "this cannot be wound: it is no recording");
}

static void pause(struct ui *ui)
{
    const struct source_request request = {.kind = SOURCE_SET_PAUSED, .flag = true};
    if (!ui->state.paused)
        ask(ui, &request);
}

static void step(struct ui *ui, int count)
{
    pause(ui);
    ask(ui, &(struct source_request){.kind = SOURCE_STEP, .count = count});
}

static void seek_by(struct ui *ui, int64_t seconds)
{
    ask(ui, &(struct source_request){.kind = SOURCE_SEEK_BY, .by_ns = seconds * SECOND_NS});
}

void action_step(struct ui *ui, uint32_t key)
{
    (void)key;
    step(ui, 1);
}

void action_step_back(struct ui *ui, uint32_t key)
{
    (void)key;
    step(ui, -1);
}

void action_forward(struct ui *ui, uint32_t key)
{
    (void)key;
    seek_by(ui, 10);
}

void action_back(struct ui *ui, uint32_t key)
{
    (void)key;
    seek_by(ui, -10);
}

void action_forward_minute(struct ui *ui, uint32_t key)
{
    (void)key;
    seek_by(ui, 60);
}

void action_back_minute(struct ui *ui, uint32_t key)
{
    (void)key;
    seek_by(ui, -60);
}

void action_to_start(struct ui *ui, uint32_t key)
{
    (void)key;
    ask(ui, &(struct source_request){.kind = SOURCE_SEEK, .wall_ns = SOURCE_SEEK_START});
}

void action_to_end(struct ui *ui, uint32_t key)
{
    (void)key;
    ask(ui, &(struct source_request){.kind = SOURCE_SEEK, .wall_ns = SOURCE_SEEK_END});
}

/* An event is there to be looked at: it stops there. */
void action_next_event(struct ui *ui, uint32_t key)
{
    (void)key;
    pause(ui);
    ask(ui, &(struct source_request){.kind = SOURCE_SEEK_EVENT, .count = 1});
}

void action_previous_event(struct ui *ui, uint32_t key)
{
    (void)key;
    pause(ui);
    ask(ui, &(struct source_request){.kind = SOURCE_SEEK_EVENT, .count = -1});
}

void transport_change_speed(struct ui *ui, bool faster)
{
    double speed = ui->state.speed * (faster ? 2 : 0.5);
    if (speed >= SOURCE_SPEED_LEAST && speed <= SOURCE_SPEED_MOST)
        ask(ui, &(struct source_request){.kind = SOURCE_SET_SPEED, .speed = speed});
}

void action_go_to(struct ui *ui, uint32_t key)
{
    (void)key;
    prompt_open(ui, PROMPT_TIME);
}

static void seek_share(struct ui *ui, double share)
{
    const struct source_position *position = &ui->state.position;
    double to_ns = share * (double)position->end_play_ns;
    ask(ui, &(struct source_request){.kind = SOURCE_SEEK_BY,
                                     .by_ns = (int64_t)(to_ns - (double)position->play_ns)});
}

void transport_go_to(struct ui *ui, const char *words)
{
    struct play_time time;
    struct problem problem;
    if (words[0] == '\0' || ui->snapshot == NULL)
        return;
    if (!play_time_parse(words, ui->snapshot->taken_at_ns, &time, &problem)) {
        ui_say(ui, STYLE_TROUBLE, "%s", problem.text);
        return;
    }
    if (time.kind == PLAY_TIME_SHARE)
        seek_share(ui, time.share);
    else
        ask(ui, &(struct source_request){.kind = time.kind == PLAY_TIME_BY ? SOURCE_SEEK_BY
                                                                           : SOURCE_SEEK,
                                         .wall_ns = time.ns,
                                         .by_ns = time.ns});
}

/* What there is to say of this place besides where it is. */
static enum style write_remark(const struct source_state_view *state, char words[WORDS_SIZE])
{
    const struct source_position *position = &state->position;
    char since[UNITS_SIZE];
    units_duration((double)position->gap_ns / 1e9, since);
    words[0] = '\0';
    if (position->is_seeking) {
        (void)snprintf(words, WORDS_SIZE, "seeking: %.0f %% read", 100 * position->read_share);
        return STYLE_MARK;
    }
    switch (position->gap) {
    case SOURCE_GAP_PAUSE:
        (void)snprintf(words, WORDS_SIZE, "gap of %s", since);
        return STYLE_MARK;
    case SOURCE_GAP_SLEEP:
        (void)snprintf(words, WORDS_SIZE, "slept %s", since);
        return STYLE_MARK;
    case SOURCE_GAP_CLOCK:
        (void)snprintf(words, WORDS_SIZE, "clock set back");
        return STYLE_MARK;
    case SOURCE_GAP_REBOOT:
        (void)snprintf(words, WORDS_SIZE, "after a restart");
        return STYLE_MARK;
    case SOURCE_GAP_NONE:
        break;
    }
    if (position->read_share < 1)
        (void)snprintf(words, WORDS_SIZE, "%.0f %% read", 100 * position->read_share);
    else if (state->at_end)
        (void)snprintf(words, WORDS_SIZE, "the end");
    else
        (void)snprintf(words, WORDS_SIZE, "event %llu of %llu", (unsigned long long)position->event,
                       (unsigned long long)position->event_count);
    return state->at_end ? STYLE_MARK : STYLE_NORMAL;
}

/* One cell of the recording: its load, an event in colour, and where we are. */
static void draw_cell(struct ui *ui, int x, int y, size_t from, size_t to, bool here)
{
    const struct source_position *position = &ui->state.position;
    int load = -1;
    bool event = false;
    for (size_t i = from; i < to || i == from; i++) {
        int cell = position->load[i] <= 100 ? position->load[i] : -1;
        load = cell > load ? cell : load;
        event = event || position->has_event[i];
    }
    enum style style = here ? STYLE_TITLE : event ? STYLE_MARK : STYLE_DIM;
    if (here)
        screen_repeat(ui->screen, x, y, 1, SYMBOL_VERTICAL, style);
    else if (load < 0)
        screen_repeat(ui->screen, x, y, 1, SYMBOL_HORIZONTAL, style);
    else
        screen_put_character(ui->screen, x, y, 0x2581U + (uint32_t)(load * 7 / 100), style);
}

static void draw_bar(struct ui *ui, int x, int y, int width)
{
    const struct source_position *position = &ui->state.position;
    double share =
        position->end_play_ns > 0 ? (double)position->play_ns / (double)position->end_play_ns : 0;
    int here = (int)(share * (width - 1) + 0.5);
    ui->transport_bar = (struct rectangle){x, y, width, 1};
    for (int i = 0; i < width; i++)
        draw_cell(ui, x + i, y, (size_t)(i * SOURCE_OVERVIEW_CELLS / width),
                  (size_t)((i + 1) * SOURCE_OVERVIEW_CELLS / width), i == here);
}

static void transport_draw(struct ui *ui, struct rectangle area)
{
    const struct source_state_view *state = &ui->state;
    char clock[PLAY_TIME_SIZE] = "", at[PLAY_TIME_SIZE], end[PLAY_TIME_SIZE];
    char begin[WORDS_SIZE], behind[WORDS_SIZE], remark[WORDS_SIZE];
    ui->transport_bar = (struct rectangle){0, 0, 0, 0};
    if (area.height == 0 || !state->can_seek)
        return;
    if (ui->snapshot != NULL)
        play_time_clock(ui->snapshot->taken_at_ns, area.width >= 100, clock);
    (void)snprintf(begin, sizeof begin, "%s %gx  %s",
                   state->paused   ? "||"
                   : state->at_end ? "##"
                                   : ">",
                   state->speed, clock);
    play_time_words(state->position.play_ns, at);
    play_time_words(state->position.end_play_ns, end);
    (void)snprintf(behind, sizeof behind, "%s / %s", at, end);
    enum style style = write_remark(state, remark);
    int x = area.x + 1, right = area.x + area.width - 1;
    x += screen_print(ui->screen, x, area.y, begin, STYLE_TITLE) + 2;
    int room = right - x - 2 * (int)strlen(end) - 3 - 2 - REMARK_WIDTH - 3;
    int name = area.width >= NAME_FROM_WIDTH ? (int)strlen(state->position.name) + 3 : 0;
    room -= room - name >= BAR_LEAST ? name : 0;
    if (room >= BAR_LEAST) {
        int width = room > BAR_MOST ? BAR_MOST : room;
        draw_bar(ui, x, area.y, width);
        x += width + 2;
    }
    screen_print(ui->screen, x, area.y, behind, STYLE_NORMAL);
    x += 2 * (int)strlen(end) + 3 + 3;
    x += screen_put_in(ui->screen, x, area.y, right - x, (struct text){remark, strlen(remark)},
                       style);
    if (name > 0 && right - x >= name)
        draw_right(ui->screen, right, area.y, state->position.name, STYLE_DIM);
}

static void transport_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    (void)area;
    const struct rectangle *bar = &ui->transport_bar;
    if ((event->action == MOUSE_PRESS || event->action == MOUSE_DRAG) && bar->width > 1 &&
        event->x >= bar->x && event->x < bar->x + bar->width)
        seek_share(ui, (double)(event->x - bar->x) / (bar->width - 1));
    else if (event->action == MOUSE_WHEEL_UP || event->action == MOUSE_WHEEL_DOWN)
        seek_by(ui, event->action == MOUSE_WHEEL_UP ? -10 : 10);
}

const struct panel transport_panel = {.draw = transport_draw, .mouse = transport_mouse};

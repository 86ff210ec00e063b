#include "screen/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "os/signals.h"
#include "screen/cells.h"
#include "screen/door.h"

struct screen {
    struct door *door;
    struct cells drawn; /* being drawn */
    struct cells sent;  /* what the terminal shows */
    bool everything;    /* `sent` is not to be trusted */
    int cursor_x, cursor_y;
    struct wake *signals;
};

struct screen *screen_open(const struct screen_options *options, struct problem *problem)
{
    struct door *door = NULL;
    if (!door_open(options, &door, problem))
        return NULL;
    struct screen *screen = screen_over(door);
    screen->signals = options->signals;
    if (screen->signals != NULL) {
        signals_set_crash_restore(door->restore_bytes);
        fatal_set_hook(signals_restore_terminal);
    }
    return screen;
}

static int side(int wanted)
{
    return wanted < 1 ? 1 : wanted > SCREEN_SIDE_MAX ? SCREEN_SIDE_MAX : wanted;
}

/* Takes the terminal's size anew. */
static void fit(struct screen *screen)
{
    int width = 0, height = 0;
    screen->door->ops->size(screen->door, &width, &height);
    width = side(width);
    height = side(height);
    if (width == screen->drawn.width && height == screen->drawn.height)
        return;
    cells_resize(&screen->drawn, width, height);
    cells_resize(&screen->sent, width, height);
    screen_forget(screen);
}

struct screen *screen_over(struct door *door)
{
    struct screen *screen = memory_new(sizeof *screen);
    screen->door = door;
    screen->cursor_x = -1;
    fit(screen);
    return screen;
}

void screen_close(struct screen **screen)
{
    if (*screen == NULL)
        return;
    if ((*screen)->signals != NULL) {
        signals_set_crash_restore(NULL);
        fatal_set_hook(NULL);
    }
    (*screen)->door->ops->close((*screen)->door);
    cells_free(&(*screen)->drawn);
    cells_free(&(*screen)->sent);
    free(*screen);
    *screen = NULL;
}

const char *screen_restore_bytes(const struct screen *screen)
{
    return screen->door->restore_bytes != NULL ? screen->door->restore_bytes : "";
}

bool screen_can_stop(const struct screen *screen)
{
    return screen->door->ops->suspend != NULL;
}

void screen_stop(struct screen *screen)
{
    if (!screen_can_stop(screen))
        return;
    if (screen->signals != NULL)
        signals_set_crash_restore(NULL);
    screen->door->ops->suspend(screen->door);
    signals_stop_self();
    screen->door->ops->resume(screen->door);
    if (screen->signals != NULL)
        signals_set_crash_restore(screen->door->restore_bytes);
    fit(screen);
    screen_forget(screen);
}

void screen_set_look(struct screen *screen, enum screen_theme theme, bool ascii)
{
    screen->door->ops->look(screen->door, theme, ascii);
    screen_forget(screen);
}

void screen_forget(struct screen *screen)
{
    screen->everything = true;
    screen->door->ops->forget(screen->door);
}

int screen_width(const struct screen *screen)
{
    return screen->drawn.width;
}

int screen_height(const struct screen *screen)
{
    return screen->drawn.height;
}

enum glyphs screen_glyphs(const struct screen *screen)
{
    return screen->door->glyphs;
}

bool screen_has_color(const struct screen *screen)
{
    return screen->door->color;
}

void screen_begin(struct screen *screen)
{
    cells_blank(&screen->drawn);
    screen->cursor_x = -1;
    screen->cursor_y = 0;
}

static bool cell_equal(const struct screen_cell *a, const struct screen_cell *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Sends the changed stretches of one row. A stretch begins and ends at whole characters in the old
 * picture and in the new one. */
static void send_row(struct screen *screen, int y)
{
    const struct screen_cell *now = cells_at(&screen->drawn, 0, y);
    struct screen_cell *before = cells_at(&screen->sent, 0, y);
    int width = screen->drawn.width, x = 0;
    while (x < width) {
        if (!screen->everything && cell_equal(&now[x], &before[x])) {
            x++;
            continue;
        }
        int first = x, end = x + 1;
        while (first > 0 && (now[first].width == 0 || before[first].width == 0))
            first--;
        while (end < width && (screen->everything || !cell_equal(&now[end], &before[end]) ||
                               now[end].width == 0 || before[end].width == 0))
            end++;
        screen->door->ops->draw(screen->door, first, y, now + first, end - first);
        memcpy(before + first, now + first, (size_t)(end - first) * sizeof *now);
        x = end;
    }
}

void screen_end(struct screen *screen)
{
    for (int y = 0; y < screen->drawn.height; y++)
        send_row(screen, y);
    screen->everything = false;
    screen->door->ops->flush(screen->door, screen->cursor_x, screen->cursor_y);
}

int screen_put_in(struct screen *screen, int x, int y, int width, struct text text,
                  enum style style)
{
    return cells_put(&screen->drawn, x, y, width, text, style, screen->door->glyphs);
}

int screen_put(struct screen *screen, int x, int y, struct text text, enum style style)
{
    return screen_put_in(screen, x, y, screen->drawn.width, text, style);
}

int screen_print(struct screen *screen, int x, int y, const char *words, enum style style)
{
    return screen_put(screen, x, y, (struct text){words, strlen(words)}, style);
}

int screen_format(struct screen *screen, int x, int y, enum style style, const char *format, ...)
{
    char line[SCREEN_SIDE_MAX * 4];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return 0;
    size_t size = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    return screen_put(screen, x, y, (struct text){line, size}, style);
}

void screen_repeat(struct screen *screen, int x, int y, int count, enum symbol symbol,
                   enum style style)
{
    for (int i = 0; i < count; i++)
        screen_put_character(screen, x + i, y, symbol_code_point(symbol), style);
}

void screen_put_character(struct screen *screen, int x, int y, uint32_t code_point,
                          enum style style)
{
    char utf8[4];
    size_t size = text_encode(code_point, utf8);
    screen_put_in(screen, x, y, 2, (struct text){utf8, size}, style);
}

void screen_put_border(struct screen *screen, int x, int y, int eighths, enum style left,
                       enum style right)
{
    bool two_colors = screen->door->color || right == STYLE_NORMAL;
    if (screen->door->glyphs >= GLYPHS_BLOCKS && two_colors && eighths >= 1 && eighths <= 7) {
        uint32_t block = 0x2590 - (uint32_t)eighths; /* U+258F one eighth ... U+2589 seven */
        cells_set(&screen->drawn, x, y, block, left, right);
        return;
    }
    enum style whole = eighths >= 4 ? left : right;
    uint32_t block = whole == STYLE_NORMAL ? ' ' : symbol_code_point(SYMBOL_FULL_BLOCK);
    screen_put_character(screen, x, y, block, whole);
}

void screen_clear(struct screen *screen, int x, int y, int width)
{
    for (int i = 0; i < width; i++)
        cells_set(&screen->drawn, x + i, y, ' ', STYLE_NORMAL, STYLE_NORMAL);
}

void screen_select(struct screen *screen, int x, int y, int width)
{
    for (int i = 0; i < width; i++) {
        struct screen_cell *cell = cells_at(&screen->drawn, x + i, y);
        if (cell != NULL)
            cell->selected = 1;
    }
}

void screen_cursor(struct screen *screen, int x, int y)
{
    screen->cursor_x = x;
    screen->cursor_y = y;
}

/* The signals that have arrived; true when one is an event. */
static bool take_signals(struct screen *screen, struct screen_event *event)
{
    bool any = false;
    for (;;) {
        switch (signals_next()) {
        case SIGNAL_QUIT:
            *event =
                (struct screen_event){.kind = SCREEN_QUIT, .signal_number = signals_quit_number()};
            return true;
        case SIGNAL_SUSPEND:
            screen_stop(screen);
            break;
        case SIGNAL_RESIZE:
            fit(screen);
            break;
        case SIGNAL_CONTINUE:
            break;
        case SIGNAL_NONE:
            return any;
        }
        *event = (struct screen_event){.kind = SCREEN_RESIZE};
        any = true;
    }
}

struct screen_event screen_wait(struct screen *screen, int64_t until_ns, struct wake *const *wakes,
                                size_t wake_count)
{
    struct wake *all[SCREEN_WAKES_MAX + 1];
    size_t count = 0, own = 0;
    if (screen->signals != NULL) {
        all[count++] = screen->signals;
        own = 1;
    }
    for (size_t i = 0; i < wake_count && i < SCREEN_WAKES_MAX; i++)
        all[count++] = wakes[i];
    for (;;) {
        struct screen_event event = screen->door->ops->wait(screen->door, until_ns, all, count);
        if (event.kind == SCREEN_RESIZE) {
            fit(screen);
            screen_forget(screen);
        }
        if (event.kind != SCREEN_WAKE)
            return event;
        wake_clear(all[event.wake]);
        if (event.wake >= own) {
            event.wake -= own;
            return event;
        }
        if (take_signals(screen, &event))
            return event;
    }
}

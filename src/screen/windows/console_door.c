#include <stdlib.h>
#include <windows.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "os/terminal.h"
#include "os/windows/wake_handle.h"
#include "screen/windows/console.h"

enum { ESCAPE_MS = 25, WAKES_MAX = SCREEN_WAKES_MAX + 1 };

static struct console *self(struct door *door)
{
    return (struct console *)door;
}

static int side(int wanted)
{
    return wanted < 1 ? 1 : wanted > SCREEN_SIDE_MAX ? SCREEN_SIDE_MAX : wanted;
}

static void door_size(struct door *door, int *width, int *height)
{
    struct console *console = self(door);
    console_measure(console);
    *width = console->output.width = side(console->width);
    *height = console->output.height = side(console->height);
}

static void choose_colors(struct console *console)
{
    struct vt_output *output = &console->output;
    bool light = console->input.light >= 0 ? console->input.light > 0
                                           : looks_background_light() || console_is_light(console);
    output->depth = console->theme == THEME_MONO ? DEPTH_MONO : console->depth_found;
    output->light =
        console->theme == THEME_LIGHT || (console->theme == THEME_AUTO && light) ? 1 : 0;
    console->door.color = output->depth != DEPTH_MONO;
}

/* Braille is not in Consolas: blocks, unless the user says otherwise. A console without VT may have
 * a font of the old 256 characters. */
static enum glyphs find_glyphs(const struct console *console, bool ascii)
{
    return ascii ? GLYPHS_ASCII : console->buffer ? GLYPHS_BASIC : GLYPHS_BLOCKS;
}

static void door_look(struct door *door, enum screen_theme theme, bool ascii)
{
    struct console *console = self(door);
    console->theme = theme;
    choose_colors(console);
    door->glyphs = find_glyphs(console, ascii);
}

static void door_close(struct door *door)
{
    struct console *console = self(door);
    console_settle(console);
    console_end(console);
    console_give_back(console);
    CloseHandle(console->out);
    vt_output_free(&console->output);
    free(console);
}

/* The window may have another size without any event (a console whose buffer stays as it is). */
static bool has_new_size(struct console *console)
{
    int width = console->width, height = console->height, left = console->left, top = console->top;
    return console_measure(console) && (width != console->width || height != console->height ||
                                        left != console->left || top != console->top);
}

/* The terminal's word on its background changes the colours. */
static bool has_new_look(struct console *console)
{
    int light = console->output.light;
    if (console->input.light < 0)
        return false;
    choose_colors(console);
    return console->output.light != light;
}

static DWORD timeout_ms(int64_t until_ns)
{
    if (until_ns == INT64_MAX)
        return INFINITE;
    int64_t left = until_ns - thread_clock_ns();
    if (left <= 0)
        return 0;
    int64_t milliseconds = (left - 1) / 1000000 + 1;
    return milliseconds < 86400000 ? (DWORD)milliseconds : 86400000;
}

/* Reads what has arrived. True: *event is one. */
static bool take_event(struct console *console, bool waited, struct screen_event *event)
{
    bool resized = false;
    if (console->gone || !console_read(console, &resized)) {
        console->gone = true;
        *event = (struct screen_event){.kind = SCREEN_GONE};
        return true;
    }
    if (waited)
        vt_input_pause(&console->input);
    if (has_new_size(console) || has_new_look(console) || resized) {
        *event = (struct screen_event){.kind = SCREEN_RESIZE};
        return true;
    }
    return vt_input_take(&console->input, event);
}

static struct screen_event door_wait(struct door *door, int64_t until_ns, struct wake *const *wakes,
                                     size_t wake_count)
{
    struct console *console = self(door);
    struct screen_event event = {.kind = SCREEN_TIMEOUT};
    HANDLE handles[WAKES_MAX + 1];
    DWORD count = wake_count < WAKES_MAX ? (DWORD)wake_count : WAKES_MAX;
    bool waited = false;
    for (DWORD i = 0; i < count; i++)
        handles[i] = wake_handle(wakes[i]);
    handles[count] = console->in;
    for (;;) {
        if (take_event(console, waited, &event))
            return event;
        bool escape = vt_input_is_open(&console->input);
        DWORD timeout = timeout_ms(until_ns);
        DWORD patience = console_awaits_reply(console) ? 4 * ESCAPE_MS : ESCAPE_MS;
        bool shortened = escape && timeout > patience;
        DWORD happened =
            WaitForMultipleObjects(count + 1, handles, FALSE, shortened ? patience : timeout);
        if (happened < count)
            return (struct screen_event){.kind = SCREEN_WAKE, .wake = happened};
        waited = happened == WAIT_TIMEOUT;
        if (happened == WAIT_FAILED)
            console->gone = true;
        else if (waited && !shortened)
            return event;
    }
}

/* There is no job control on Windows: suspend and resume are never offered. */
static const struct door_ops ops = {
    .close = door_close,
    .size = door_size,
    .draw = console_draw,
    .flush = console_flush,
    .forget = console_forget,
    .look = door_look,
    .wait = door_wait,
};

static bool take_console(struct console *console)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    DWORD in_mode, out_mode;
    console->in = GetStdHandle(STD_INPUT_HANDLE);
    if (!GetConsoleMode(console->in, &in_mode) ||
        !GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &out_mode))
        return false;
    /* The screen buffer itself: standard output may mean whichever is shown (wine). */
    console->out = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                               FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (console->out == INVALID_HANDLE_VALUE)
        return false;
    if (!GetConsoleScreenBufferInfo(console->out, &info)) {
        CloseHandle(console->out);
        return false;
    }
    console->in_mode = in_mode;
    console->out_mode = out_mode;
    console->own = info.wAttributes & 0xFF;
    return true;
}

/* Fonts of these code pages (Japanese, Chinese twice, Korean) have boxes and blocks of two columns.
 */
static bool has_wide_boxes(void)
{
    UINT ansi = GetACP(), oem = GetOEMCP(); /* the first may be UTF-8 by our manifest */
    static const UINT pages[] = {932, 936, 949, 950};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (ansi == pages[i] || oem == pages[i])
            return true;
    return false;
}

bool door_open(const struct screen_options *options, struct door **door, struct problem *problem)
{
    struct console *console = memory_new(sizeof *console);
    if (!take_console(console)) {
        const char *advice = terminal_advice();
        free(console);
        return problem_set(problem, "the live screen needs a console; %s",
                           advice ? advice : "try --once or --json");
    }
    console->door.ops = &ops;
    console->theme = options->theme;
    console->mouse = !options->no_mouse;
    console->output.steps_aside = has_wide_boxes();
    vt_input_open(&console->input);
    if (!console_begin(console)) {
        unsigned long error = GetLastError();
        console_give_back(console);
        CloseHandle(console->out);
        free(console);
        return problem_set(problem,
                           "the console gives no screen of its own (Windows error %lu); try "
                           "--once, or Windows Terminal",
                           error);
    }
    console_take_input(console);
    /* Whoever obeys VT sequences has direct colours too, since Windows 10 1703. */
    bool has_colors = !options->no_color && !looks_color_refused();
    console->depth_found = !has_colors ? DEPTH_MONO : console->buffer ? DEPTH_16 : DEPTH_TRUE;
    console->door.restore_bytes = console->buffer ? "" : vt_output_leaving;
    door_look(&console->door, options->theme, options->ascii);
    if (!console->buffer && console->theme == THEME_AUTO && console->door.color)
        console_ask(console);
    *door = &console->door;
    return true;
}

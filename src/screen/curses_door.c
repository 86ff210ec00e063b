/* The terminal through ncurses (wide characters). Only this file knows curses. */
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "base/fatal.h"
#include "base/ready_door.h"
#include "base/thread.h"
#include "screen/curses_colors.h"
#include "screen/curses_input.h"
#include "screen/door.h"
#include "screen/terminal_types.h"

enum { RESTORE_SIZE = 256, WAKES_MAX = SCREEN_WAKES_MAX + 1, ESCAPE_MS = 25 };

struct curses_door {
    struct door door;
    SCREEN *terminal;
    struct curses_input input;
    struct curses_colors colors;
    bool mouse;
    bool gone;
    char restore[RESTORE_SIZE];
};

static struct curses_door *self(struct door *door)
{
    return (struct curses_door *)door;
}

static void door_size(struct door *door, int *width, int *height)
{
    (void)door;
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        *width = size.ws_col < SCREEN_SIDE_MAX ? size.ws_col : SCREEN_SIDE_MAX;
        *height = size.ws_row < SCREEN_SIDE_MAX ? size.ws_row : SCREEN_SIDE_MAX;
        if (*width != COLS || *height != LINES)
            resize_term(*height, *width);
    } else {
        *width = COLS;
        *height = LINES;
    }
}

/* The character as curses will count it. Its library's table may differ from ours: what it would
 * draw with another width is replaced, so that no column ever moves. */
static void cell_characters(const struct screen_cell *cell, wchar_t out[CELL_POINTS + 1])
{
    size_t count = 0;
    for (int i = 0; i < CELL_POINTS && cell->points[i] != 0; i++) {
        wchar_t character = (wchar_t)cell->points[i];
        int width = wcwidth(character);
        if (i == 0 && width != cell->width) {
            character = cell->width == 2 ? L'\uFF1F' : L'?';
            if (wcwidth(character) != cell->width)
                character = L'?';
        } else if (i > 0 && width != 0) {
            continue;
        }
        out[count++] = character;
    }
    out[count] = L'\0';
}

static void door_draw(struct door *door, int x, int y, const struct screen_cell *cells, int count)
{
    struct curses_door *curses = self(door);
    for (int i = 0; i < count; i++) {
        if (cells[i].width == 0)
            continue;
        wchar_t characters[CELL_POINTS + 1];
        cell_characters(&cells[i], characters);
        attr_t attributes = A_NORMAL;
        int pair = 0;
        curses_colors_of(&curses->colors, &cells[i], &attributes, &pair);
        cchar_t complex;
        if (setcchar(&complex, characters, attributes, (short)pair, NULL) == OK)
            mvadd_wch(y, x + i, &complex);
    }
}

static void door_flush(struct door *door, int x, int y)
{
    (void)door;
    curs_set(x >= 0 ? 1 : 0);
    if (x >= 0)
        move(y, x);
    wnoutrefresh(stdscr);
    doupdate();
}

static void door_forget(struct door *door)
{
    (void)door;
    clearok(stdscr, TRUE);
}

static bool has_capability(const char *name)
{
    const char *bytes = tigetstr(name);
    return bytes != NULL && bytes != (const char *)-1;
}

/* Curses asks for presses alone; 1002 adds the way of a pressed button, for dragging, 1006 counts
 * beyond column 223. */
static void mouse_on(const struct curses_door *curses, bool on)
{
    mmask_t wanted = BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_RELEASED | BUTTON4_PRESSED |
                     BUTTON5_PRESSED | REPORT_MOUSE_POSITION;
    if (!curses->mouse)
        return;
    mousemask(on ? wanted : 0, NULL);
    curses_send(on ? "\033[?1006h\033[?1002h" : "\033[?1002l\033[?1006l");
}

static enum glyphs find_glyphs(bool ascii)
{
    const char *term = getenv("TERM");
    if (ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        return GLYPHS_ASCII;
    return term != NULL && strcmp(term, "linux") == 0 ? GLYPHS_BASIC : GLYPHS_FULL;
}

static void choose_colors(struct curses_door *curses)
{
    curses_colors_choose(&curses->colors, curses->input.theme);
    curses->door.color = curses->colors.depth != DEPTH_MONO;
}

static void door_look(struct door *door, enum screen_theme theme, bool ascii)
{
    struct curses_door *curses = self(door);
    curses->input.theme = theme;
    choose_colors(curses);
    door->glyphs = find_glyphs(ascii);
}

/* Where no second screen goes away, the shell's prompt stands in the last line: not in our keys. */
static void clear_last_line(void)
{
    if (has_capability("rmcup"))
        return;
    move(LINES - 1, 0);
    clrtoeol();
    refresh();
}

static void door_suspend(struct door *door)
{
    struct curses_door *curses = self(door);
    curses_input_settle(&curses->input);
    mouse_on(curses, false);
    clear_last_line();
    def_prog_mode();
    endwin();
}

static void door_resume(struct door *door)
{
    reset_prog_mode();
    clearok(stdscr, TRUE);
    refresh();
    mouse_on(self(door), true);
}

static void door_close(struct door *door)
{
    struct curses_door *curses = self(door);
    curses_input_settle(&curses->input);
    mouse_on(curses, false);
    clear_last_line();
    curses_input_close(&curses->input);
    endwin();
    delscreen(curses->terminal);
    free(curses);
}

static int timeout_ms(int64_t until_ns)
{
    if (until_ns == INT64_MAX)
        return -1;
    int64_t left = until_ns - thread_clock_ns();
    if (left <= 0)
        return 0;
    int64_t ms = left / 1000000 + (left % 1000000 != 0);
    return ms < 86400000 ? (int)ms : 86400000;
}

static struct screen_event door_wait(struct door *door, int64_t until_ns, struct wake *const *wakes,
                                     size_t wake_count)
{
    struct curses_door *curses = self(door);
    struct screen_event event = {.kind = SCREEN_TIMEOUT};
    for (;;) {
        if (curses_input_take(&curses->input, &event))
            return event;
        if (curses->gone)
            return (struct screen_event){.kind = SCREEN_GONE};
        struct pollfd polls[WAKES_MAX + 1] = {{.fd = STDIN_FILENO, .events = POLLIN}};
        size_t count = wake_count < WAKES_MAX ? wake_count : WAKES_MAX;
        for (size_t i = 0; i < count; i++)
            polls[i + 1] = (struct pollfd){.fd = wake_descriptor(wakes[i]), .events = POLLIN};
        int ready = ready_poll(polls, count + 1, timeout_ms(until_ns));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return event;
        for (size_t i = 0; i < count; i++)
            if (polls[i + 1].revents != 0)
                return (struct screen_event){.kind = SCREEN_WAKE, .wake = i};
        /* Readable and yet no key comes of it: the terminal is closed. */
        if ((polls[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
            curses->gone = true;
        else if (!curses_input_take(&curses->input, &event)) {
            int waiting = 0;
            if (ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 ||
                (waiting == 0 && ready_poll(polls, 1, 0) > 0))
                curses->gone = true;
        } else {
            return event;
        }
    }
}

static const struct door_ops ops = {
    .close = door_close,
    .size = door_size,
    .draw = door_draw,
    .flush = door_flush,
    .forget = door_forget,
    .look = door_look,
    .suspend = door_suspend,
    .resume = door_resume,
    .wait = door_wait,
};

static void append_capability(char *out, size_t size, const char *name)
{
    const char *bytes = tigetstr(name);
    if (bytes == NULL || bytes == (const char *)-1)
        return;
    size_t length = strlen(out);
    /* "$<5>" is a padding delay, only meant for tputs(). */
    for (; *bytes != '\0' && length + 1 < size; bytes++) {
        if (bytes[0] == '$' && bytes[1] == '<') {
            const char *end = strchr(bytes, '>');
            if (end != NULL) {
                bytes = end;
                continue;
            }
        }
        out[length++] = *bytes;
    }
    out[length] = '\0';
}

static void prepare_restore(struct curses_door *curses)
{
    static const char mouse_off[] = "\033[?1006l\033[?1002l\033[?1000l";
    if (curses->mouse)
        memcpy(curses->restore, mouse_off, sizeof mouse_off);
    append_capability(curses->restore, sizeof curses->restore, "sgr0");
    append_capability(curses->restore, sizeof curses->restore, "op");
    append_capability(curses->restore, sizeof curses->restore, "cnorm");
    append_capability(curses->restore, sizeof curses->restore, "rmkx");
    append_capability(curses->restore, sizeof curses->restore, "rmcup");
    curses->door.restore_bytes = curses->restore;
}

static SCREEN *new_terminal(const char *type)
{
    return newterm((char *)(uintptr_t)type, stdout, stdin);
}

/* With a description that came with the program. */
static SCREEN *new_terminal_built_in(const char *type)
{
    const char *description = terminal_type_built_in(type), *before = getenv("TERMINFO");
    char *kept = before ? strdup(before) : NULL;
    if (description == NULL || setenv("TERMINFO", description, 1) != 0) {
        free(kept);
        return NULL;
    }
    SCREEN *terminal = new_terminal(type);
    if (kept)
        setenv("TERMINFO", kept, 1);
    else
        unsetenv("TERMINFO");
    free(kept);
    return terminal;
}

/* `type` (NULL: `term`, that of the environment), else what comes close to it. */
static SCREEN *open_terminal(const char *type, const char *term)
{
    const char *stand_in;
    SCREEN *terminal = new_terminal(type);
    if (terminal == NULL && term != NULL)
        terminal = new_terminal_built_in(term);
    for (size_t i = 0; !terminal && (stand_in = terminal_type_stand_in(term, i)) != NULL; i++) {
        terminal = new_terminal(stand_in);
        if (terminal == NULL)
            terminal = new_terminal_built_in(stand_in);
    }
    return terminal;
}

bool door_open(const struct screen_options *options, struct door **door, struct problem *problem)
{
    setlocale(LC_CTYPE, "");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return problem_set(problem,
                           "the live screen needs a terminal on standard input and output; "
                           "try --once or --json");
    const char *term = getenv("TERM");
    char direct[TERMINAL_NAME_SIZE];
    const char *type = curses_colors_terminal(direct);
    set_escdelay(ESCAPE_MS);
    /* LINES and COLUMNS in the environment go stale: the terminal is asked. */
    use_env(FALSE);
    use_tioctl(TRUE);
    SCREEN *terminal = open_terminal(type, term);
    if (terminal == NULL)
        return problem_set(problem,
                           "the terminal type '%s' is not known here; try "
                           "TERM=xterm-256color gputaskman",
                           term != NULL ? term : "");
    if (!has_capability("cup")) {
        endwin();
        delscreen(terminal);
        return problem_set(problem,
                           "the terminal type '%s' cannot move its cursor; try --once, or "
                           "TERM=xterm-256color gputaskman",
                           term != NULL ? term : "");
    }
    /* Until the library comes back from a first endwin() it writes at every move of the cursor:
     * thirty system calls a frame in place of one (ncurses 6.4, _nc_mvcur()). */
    endwin();
    struct curses_door *curses = memory_new(sizeof *curses);
    curses->door.ops = &ops;
    curses->terminal = terminal;
    curses->door.glyphs = find_glyphs(options->ascii);
    raw(); /* Ctrl-C, Ctrl-Z and Ctrl-\ are keys: none of them can leave the terminal in our state
            */
    noecho();
    nonl();
    scrollok(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    curses_input_open(&curses->input, &curses->colors);
    curses->mouse = !options->no_mouse && has_capability("kmous");
    mouse_on(curses, true);
    curses->input.theme = options->theme;
    curses_colors_start(&curses->colors, options->no_color);
    choose_colors(curses);
    if (curses->input.theme == THEME_AUTO && curses->door.color)
        curses_input_ask(&curses->input);
    prepare_restore(curses);
    *door = &curses->door;
    return true;
}

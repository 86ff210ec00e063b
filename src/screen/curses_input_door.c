#include "screen/curses_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ready_door.h"
#include "base/thread.h"
#include "screen/curses_keys.h"

enum {
    REPLY_MS = 100,    /* how long a reply is waited for before the terminal is given back */
    PATIENCE_MS = 1000 /* a terminal that was silent for so long answers no question */
};

void curses_input_open(struct curses_input *input, struct curses_colors *colors)
{
    *input = (struct curses_input){.colors = colors};
    input->window = newpad(1, 1);
    keypad(input->window, TRUE);
    nodelay(input->window, TRUE);
    mouseinterval(0);
    typeahead(-1); /* a frame is sent whole, without looking for keys between its lines */
}

void curses_input_close(struct curses_input *input)
{
    delwin(input->window);
}

static bool is_reply_due(struct curses_input *input)
{
    if (input->asked_until_ns != 0 && thread_clock_ns() >= input->asked_until_ns)
        input->asked_until_ns = 0;
    return input->asked_until_ns != 0;
}

/* What the terminal said. True: it changes the colours. */
static bool take_reply(struct curses_input *input)
{
    if (sequence_is_identity(&input->sequence))
        input->asked_until_ns = 0;
    int light = sequence_light(&input->sequence);
    if (light < 0 || light == input->colors->asked_light)
        return false;
    int before = input->colors->light;
    input->colors->asked_light = light;
    curses_colors_choose(input->colors, input->theme);
    return input->colors->light != before;
}

enum taken {
    TAKEN_NOTHING, /* there is no more for now */
    TAKEN_OTHER,   /* something that is no event */
    TAKEN_EVENT,
};

/* Reads a sequence that curses does not know to its end; what has not arrived yet is taken later.
 */
static enum taken take_sequence(struct curses_input *input, struct screen_event *event)
{
    wint_t character = 0;
    int result;
    while ((result = wget_wch(input->window, &character)) == OK &&
           !sequence_take(&input->sequence, (uint32_t)character))
        ;
    if (result == ERR)
        return TAKEN_NOTHING;
    uint32_t key = sequence_key(&input->sequence);
    bool mouse = sequence_mouse(&input->sequence, event), redraw = take_reply(input);
    input->sequence.kind = SEQUENCE_NONE;
    if (mouse)
        return TAKEN_EVENT;
    *event = (struct screen_event){.kind = redraw ? SCREEN_RESIZE : SCREEN_KEY, .key = key};
    return redraw || key != 0 ? TAKEN_EVENT : TAKEN_OTHER;
}

/* What follows an escape at once: an Alt key or a sequence. */
static enum taken take_after_escape(struct curses_input *input, struct screen_event *event)
{
    wint_t character = 0;
    int result = wget_wch(input->window, &character);
    struct pollfd readable = {.fd = STDIN_FILENO, .events = POLLIN};
    /* A reply is on its way: this escape may be its beginning. */
    if (result == ERR && is_reply_due(input) && ready_poll(&readable, 1, REPLY_MS) > 0)
        result = wget_wch(input->window, &character);
    if (result == OK && sequence_begins(&input->sequence, (uint32_t)character))
        return take_sequence(input, event);
    if (result == OK)
        event->key = SCREEN_KEY_ALT(curses_key(character, false));
    else if (result == KEY_CODE_YES)
        event->key = curses_key(character, true);
    return TAKEN_EVENT;
}

static enum taken take_one(struct curses_input *input, struct screen_event *event)
{
    wint_t character = 0;
    if (input->sequence.kind != SEQUENCE_NONE)
        return take_sequence(input, event);
    int result = wget_wch(input->window, &character);
    if (result == ERR)
        return TAKEN_NOTHING;
    if (result == KEY_CODE_YES && character == KEY_MOUSE) {
        MEVENT mouse;
        return getmouse(&mouse) == OK && curses_mouse(&mouse, event) ? TAKEN_EVENT : TAKEN_OTHER;
    }
    event->kind = SCREEN_KEY;
    event->key = curses_key(character, result == KEY_CODE_YES);
    return event->key == SCREEN_KEY_ESCAPE ? take_after_escape(input, event) : TAKEN_EVENT;
}

bool curses_input_take(struct curses_input *input, struct screen_event *event)
{
    enum taken taken;
    while ((taken = take_one(input, event)) == TAKEN_OTHER)
        ;
    return taken == TAKEN_EVENT;
}

void curses_send(const char *bytes)
{
    size_t left = strlen(bytes);
    while (left > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        bytes += written;
        left -= (size_t)written;
    }
}

void curses_input_ask(struct curses_input *input)
{
    static const char *const families[] = {"xterm",   "tmux",  "rxvt",    "alacritty", "foot",
                                           "kitty",   "gnome", "konsole", "vte",       "wezterm",
                                           "contour", "st-",   "ghostty", "iterm2",    "mintty"};
    const char *term = getenv("TERM");
    bool answers = false;
    for (size_t i = 0; term != NULL && i < sizeof families / sizeof *families; i++)
        if (strncmp(term, families[i], strlen(families[i])) == 0)
            answers = true;
    if (!answers)
        return;
    input->asked_until_ns = thread_clock_ns() + PATIENCE_MS * 1000000LL;
    curses_send("\033]11;?\033\\\033[c");
}

void curses_input_settle(struct curses_input *input)
{
    int64_t until_ns = thread_clock_ns() + REPLY_MS * 1000000LL;
    struct screen_event ignored;
    while (is_reply_due(input) && thread_clock_ns() < until_ns) {
        struct pollfd readable = {.fd = STDIN_FILENO, .events = POLLIN};
        while (curses_input_take(input, &ignored))
            ;
        if (is_reply_due(input) && ready_poll(&readable, 1, REPLY_MS) <= 0)
            return;
    }
}

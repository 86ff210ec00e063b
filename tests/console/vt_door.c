/* The screen's door on a POSIX terminal as it is on a Windows console with VT: drawn by
 * vt_output.c, read by vt_input.c. Linked in place of the curses door, so that the whole program
 * can be seen in a real terminal through what Windows uses. GPUTASKMAN_TEST_DEPTH: mono, 16, 256,
 * else direct colours. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/text.h"
#include "base/thread.h"
#include "screen/vt_input.h"
#include "screen/vt_output.h"

enum { ESCAPE_MS = 25, WAKES_MAX = SCREEN_WAKES_MAX + 1 };

struct vt_door {
    struct door door;
    struct termios before;
    struct vt_output output;
    struct vt_input input;
    enum color_depth depth;
};

static struct vt_door *self(struct door *door)
{
    return (struct vt_door *)door;
}

static void send_bytes(struct vt_door *vt)
{
    size_t done = 0;
    while (done < vt->output.size) {
        ssize_t count = write(STDOUT_FILENO, vt->output.bytes + done, vt->output.size - done);
        if (count < 0 && errno != EINTR)
            break;
        done += count > 0 ? (size_t)count : 0;
    }
    vt_output_written(&vt->output);
}

static void door_suspend(struct door *door)
{
    struct vt_door *vt = self(door);
    vt_output_leave(&vt->output);
    send_bytes(vt);
    tcsetattr(STDIN_FILENO, TCSANOW, &vt->before);
}

static void take_terminal(struct vt_door *vt)
{
    struct termios raw = vt->before;
    cfmakeraw(&raw);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    vt_output_enter(&vt->output);
    vt_output_add(&vt->output, "\033[?1006h\033[?1002h");
}

static void door_resume(struct door *door)
{
    take_terminal(self(door));
}

static void door_close(struct door *door)
{
    struct vt_door *vt = self(door);
    door_suspend(door);
    vt_output_free(&vt->output);
    free(vt);
}

static void door_size(struct door *door, int *width, int *height)
{
    struct winsize size = {.ws_col = 80, .ws_row = 24};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    *width = self(door)->output.width = size.ws_col;
    *height = self(door)->output.height = size.ws_row;
}

static void door_draw(struct door *door, int x, int y, const struct screen_cell *cells, int count)
{
    vt_output_draw(&self(door)->output, x, y, cells, count);
}

static void door_flush(struct door *door, int x, int y)
{
    vt_output_end(&self(door)->output, x, y);
    send_bytes(self(door));
}

static void door_forget(struct door *door)
{
    vt_output_wipe(&self(door)->output);
}

static void door_look(struct door *door, enum screen_theme theme, bool ascii)
{
    struct vt_door *vt = self(door);
    vt->output.depth = theme == THEME_MONO ? DEPTH_MONO : vt->depth;
    vt->output.light = theme == THEME_LIGHT;
    door->color = vt->output.depth != DEPTH_MONO;
    door->glyphs = ascii ? GLYPHS_ASCII : GLYPHS_FULL;
}

/* As a console hands over what a terminal wrote: one record a UTF-16 unit. */
static void take_bytes(struct vt_door *vt)
{
    char bytes[4096];
    ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
    for (size_t at = 0; size > 0 && at < (size_t)size;) {
        uint32_t point = text_next(bytes, (size_t)size, &at);
        struct vt_key key = {.down = true, .repeat = 1};
        if (point > 0xFFFF) {
            key.unit = (uint16_t)(0xD800 + ((point - 0x10000) >> 10));
            vt_input_key(&vt->input, &key);
            point = 0xDC00 + ((point - 0x10000) & 0x3FF);
        }
        key.unit = (uint16_t)point;
        vt_input_key(&vt->input, &key);
    }
}

static int timeout_ms(int64_t until_ns, bool escape)
{
    int64_t left = until_ns == INT64_MAX ? INT64_MAX : until_ns - thread_clock_ns();
    int64_t milliseconds = left <= 0 ? 0 : (left - 1) / 1000000 + 1;
    if (escape && milliseconds > ESCAPE_MS)
        return ESCAPE_MS;
    return until_ns == INT64_MAX ? -1 : milliseconds < 86400000 ? (int)milliseconds : 86400000;
}

static struct screen_event door_wait(struct door *door, int64_t until_ns, struct wake *const *wakes,
                                     size_t wake_count)
{
    struct vt_door *vt = self(door);
    struct screen_event event = {.kind = SCREEN_TIMEOUT};
    for (;;) {
        if (vt_input_take(&vt->input, &event))
            return event;
        struct pollfd polls[WAKES_MAX + 1];
        for (size_t i = 0; i < wake_count; i++)
            polls[i] = (struct pollfd){.fd = wake_descriptor(wakes[i]), .events = POLLIN};
        polls[wake_count] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
        bool escape = vt_input_is_open(&vt->input);
        int ready = poll(polls, (nfds_t)wake_count + 1, timeout_ms(until_ns, escape));
        if (ready == 0 && !escape)
            return event;
        if (ready == 0)
            vt_input_pause(&vt->input);
        for (size_t i = 0; ready > 0 && i < wake_count; i++)
            if (polls[i].revents != 0)
                return (struct screen_event){.kind = SCREEN_WAKE, .wake = i};
        if (ready > 0 && (polls[wake_count].revents & (POLLHUP | POLLERR)) != 0)
            return (struct screen_event){.kind = SCREEN_GONE};
        if (ready > 0)
            take_bytes(vt);
    }
}

bool door_open(const struct screen_options *options, struct door **door, struct problem *problem)
{
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
    struct vt_door *vt = memory_new(sizeof *vt);
    if (tcgetattr(STDIN_FILENO, &vt->before) != 0) {
        free(vt);
        return problem_set(problem, "this needs a terminal");
    }
    const char *depth = getenv("GPUTASKMAN_TEST_DEPTH");
    vt->depth = DEPTH_TRUE;
    for (size_t i = 0; depth != NULL && i < 3; i++)
        if (strcmp(depth, (const char *const[]){"mono", "16", "256"}[i]) == 0)
            vt->depth = (enum color_depth)i;
    vt->door = (struct door){.ops = &ops, .restore_bytes = vt_output_leaving};
    if (options->no_color)
        vt->depth = DEPTH_MONO;
    vt_input_open(&vt->input);
    take_terminal(vt);
    door_look(&vt->door, options->theme, options->ascii);
    *door = &vt->door;
    return true;
}

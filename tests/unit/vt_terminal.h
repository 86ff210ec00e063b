/* A VT terminal in memory: what the bytes of vt_output.c make of a screen. It obeys the sequences
 * that vt_output.h names, fails the test at any other, and keeps what each cell shows. */
#ifndef TESTS_VT_TERMINAL_H
#define TESTS_VT_TERMINAL_H

#include <stdlib.h>
#include <string.h>

#include "base/width.h"
#include "screen/looks.h"

enum { VT_WIDTH = 40, VT_HEIGHT = 10 };

struct vt_cell {
    uint32_t points[CELL_POINTS]; /* 0: the right half of a wide character */
    struct cell_look look;
};

struct vt_terminal {
    struct vt_cell cells[VT_HEIGHT][VT_WIDTH];
    int x, y;             /* the cursor */
    struct vt_cell *last; /* what was written last */
    struct cell_look pen;
    bool cursor, second_screen, wraps, holds; /* holds: synchronized output has begun */
    bool narrow;                              /* counts one column for wide characters */
    const char *trouble;                      /* what was not understood */
};

static inline void vt_blank(struct vt_terminal *terminal, int from, int end, int y)
{
    for (int x = from; x < end; x++)
        terminal->cells[y][x] = (struct vt_cell){
            .points = {' '},
            .look = {.foreground = -1, .background = terminal->pen.background},
        };
}

static inline void vt_start(struct vt_terminal *terminal)
{
    *terminal = (struct vt_terminal){
        .pen = {.foreground = -1, .background = -1}, .cursor = true, .wraps = true};
    for (int y = 0; y < VT_HEIGHT; y++)
        vt_blank(terminal, 0, VT_WIDTH, y);
}

static inline int32_t vt_color(const int *numbers, int count, int *at)
{
    int kind = *at + 1 < count ? numbers[*at + 1] : -1;
    if (kind == 5 && *at + 2 < count) {
        *at += 2;
        return numbers[*at];
    }
    if (kind == 2 && *at + 4 < count) {
        *at += 4;
        return numbers[*at - 2] << 16 | numbers[*at - 1] << 8 | numbers[*at];
    }
    return -2;
}

static inline void vt_pen(struct vt_terminal *terminal, const int *numbers, int count)
{
    struct cell_look *pen = &terminal->pen;
    for (int i = 0; i < count; i++) {
        int number = numbers[i];
        if (number == 0)
            *pen = (struct cell_look){.foreground = -1, .background = -1};
        else if (number == 1)
            pen->bold = true;
        else if (number == 2)
            pen->dim = true;
        else if (number == 22)
            pen->bold = pen->dim = false;
        else if (number == 7 || number == 27)
            pen->reverse = number == 7;
        else if (number == 38)
            pen->foreground = vt_color(numbers, count, &i);
        else if (number == 48)
            pen->background = vt_color(numbers, count, &i);
        else if (number == 39)
            pen->foreground = -1;
        else if (number == 49)
            pen->background = -1;
        else if (number >= 30 && number <= 37)
            pen->foreground = number - 30;
        else if (number >= 90 && number <= 97)
            pen->foreground = number - 90 + 8;
        else if (number >= 40 && number <= 47)
            pen->background = number - 40;
        else if (number >= 100 && number <= 107)
            pen->background = number - 100 + 8;
        else
            terminal->trouble = "an SGR number";
    }
}

static inline void vt_mode(struct vt_terminal *terminal, int mode, bool on)
{
    if (mode == 25)
        terminal->cursor = on;
    else if (mode == 7)
        terminal->wraps = on;
    else if (mode == 1049)
        terminal->second_screen = on;
    else if (mode == 2026)
        terminal->holds = on;
    else if (mode != 1002 && mode != 1006)
        terminal->trouble = "a mode";
}

static inline void vt_control(struct vt_terminal *terminal, const char *text, char last)
{
    int numbers[32] = {0}, count = 0;
    bool is_private = *text == '?';
    for (const char *at = text + (is_private ? 1 : 0);; at++) {
        if (*at >= '0' && *at <= '9' && count < 31)
            numbers[count] = numbers[count] * 10 + (*at - '0');
        else {
            count++;
            if (*at != ';')
                break;
        }
    }
    int first = numbers[0] > 0 ? numbers[0] : 1, second = numbers[1] > 0 ? numbers[1] : 1;
    if (is_private && (last == 'h' || last == 'l'))
        vt_mode(terminal, numbers[0], last == 'h');
    else if (last == 'm')
        vt_pen(terminal, numbers, count);
    else if (last == 'H') {
        terminal->y = first - 1;
        terminal->x = second - 1;
    } else if (last == 'G')
        terminal->x = first - 1;
    else if (last == 'C')
        terminal->x += first;
    else if (last == 'K' && numbers[0] == 0)
        vt_blank(terminal, terminal->x, VT_WIDTH, terminal->y);
    else if (last == 'J' && numbers[0] == 2)
        for (int y = 0; y < VT_HEIGHT; y++)
            vt_blank(terminal, 0, VT_WIDTH, y);
    else
        terminal->trouble = "a sequence";
    if (terminal->x < 0 || terminal->x >= VT_WIDTH || terminal->y < 0 || terminal->y >= VT_HEIGHT) {
        terminal->trouble = "a place outside";
        terminal->x = terminal->y = 0;
    }
}

static inline void vt_character(struct vt_terminal *terminal, uint32_t point)
{
    int width = width_of(point);
    if (width == 0) {
        struct vt_cell *before = terminal->last;
        for (int i = 1; before != NULL && i < CELL_POINTS; i++)
            if (before->points[i] == 0) {
                before->points[i] = point;
                break;
            }
        return;
    }
    if (terminal->narrow)
        width = 1;
    if (terminal->x + width > VT_WIDTH) {
        terminal->trouble = "a character beyond the edge";
        return;
    }
    for (int i = 0; i < width; i++)
        terminal->cells[terminal->y][terminal->x + i] =
            (struct vt_cell){.points = {i == 0 ? point : 0}, .look = terminal->pen};
    terminal->last = &terminal->cells[terminal->y][terminal->x];
    terminal->x += width;
    /* Without wrapping the cursor stays in the last column; what is written there again is seen. */
    if (terminal->x == VT_WIDTH)
        terminal->x = VT_WIDTH - 1;
}

static inline void vt_feed(struct vt_terminal *terminal, const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        uint32_t point = text_next(bytes, size, &at);
        char text[64] = "";
        size_t length = 0;
        if (point == '\r') {
            terminal->x = 0;
        } else if (point == 27 && at < size && bytes[at] == '[') {
            at++;
            while (at < size && (bytes[at] < 0x40 || bytes[at] > 0x7E) && length + 1 < sizeof text)
                text[length++] = bytes[at++];
            text[length] = '\0';
            vt_control(terminal, text, at < size ? bytes[at] : '\0');
            at++;
        } else if (point < 0x20) {
            terminal->trouble = "a control character";
        } else {
            vt_character(terminal, point);
        }
    }
}

#endif

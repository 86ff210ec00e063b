#include "screen/vt_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/text.h"

enum { SGR_SIZE = 96, MOVE_SIZE = 32, CAPACITY_FIRST = 4096 };

static const struct cell_look plain = {.foreground = -1, .background = -1};

#define SYNCHRONIZE "\033[?2026h"
#define SHOW_FRAME "\033[?2026l"

const char vt_output_leaving[] =
    SHOW_FRAME "\033[?1002l\033[?1006l\033[0m\033[?7h\033[?25h\033[?1049l";

static void add(struct vt_output *output, const char *bytes, size_t size)
{
    if (output->capacity - output->size < size) {
        size_t capacity = output->capacity > 0 ? output->capacity : CAPACITY_FIRST;
        while (capacity - output->size < size)
            capacity *= 2;
        output->bytes = memory_grow(output->bytes, capacity, 1);
        output->capacity = capacity;
    }
    memcpy(output->bytes + output->size, bytes, size);
    output->size += size;
}

void vt_output_add(struct vt_output *output, const char *bytes)
{
    add(output, bytes, strlen(bytes));
    output->begun = output->size;
}

void vt_output_enter(struct vt_output *output)
{
    vt_output_add(output, "\033[?1049h\033[?7l\033[?25l");
    output->shows_cursor = false;
    vt_output_wipe(output);
}

void vt_output_leave(struct vt_output *output)
{
    vt_output_add(output, vt_output_leaving);
    output->pen = plain;
    output->x = -1;
}

void vt_output_wipe(struct vt_output *output)
{
    vt_output_add(output, "\033[0m\033[2J");
    output->pen = plain;
    output->x = -1;
}

/* --- The cursor --- */

static void keep_shorter(char *best, const char *other)
{
    if (strlen(other) < strlen(best))
        memcpy(best, other, strlen(other) + 1);
}

static void move(struct vt_output *output, int x, int y)
{
    char best[MOVE_SIZE], other[MOVE_SIZE];
    if (output->x == x && output->y == y)
        return;
    if (x == 0 && y == 0)
        (void)snprintf(best, sizeof best, "\033[H");
    else if (x == 0)
        (void)snprintf(best, sizeof best, "\033[%dH", y + 1);
    else
        (void)snprintf(best, sizeof best, "\033[%d;%dH", y + 1, x + 1);
    if (output->x >= 0 && output->y == y) {
        if (x == 0)
            keep_shorter(best, "\r");
        (void)snprintf(other, sizeof other, "\033[%dG", x + 1);
        keep_shorter(best, other);
        if (x > output->x) {
            (void)snprintf(other, sizeof other, x == output->x + 1 ? "\033[C" : "\033[%dC",
                           x - output->x);
            keep_shorter(best, other);
        }
    }
    add(output, best, strlen(best));
    output->x = x;
    output->y = y;
}

/* --- Colours --- */

struct sgr {
    char text[SGR_SIZE];
    size_t size;
};

static void add_parameter(struct sgr *sgr, int number)
{
    int written = snprintf(sgr->text + sgr->size, sizeof sgr->text - sgr->size, "%s%d",
                           sgr->size > 0 ? ";" : "", number);
    if (written > 0)
        sgr->size += (size_t)written;
}

/* `base`: 30 for the foreground, 40 for the background. */
static void add_color(struct sgr *sgr, enum color_depth depth, int32_t color, int base)
{
    if (color < 0) {
        add_parameter(sgr, base + 9);
    } else if (depth == DEPTH_TRUE) {
        add_parameter(sgr, base + 8);
        add_parameter(sgr, 2);
        add_parameter(sgr, (color >> 16) & 0xFF);
        add_parameter(sgr, (color >> 8) & 0xFF);
        add_parameter(sgr, color & 0xFF);
    } else if (depth == DEPTH_256) {
        add_parameter(sgr, base + 8);
        add_parameter(sgr, 5);
        add_parameter(sgr, color);
    } else {
        add_parameter(sgr, color < 8 ? base + color : base + 60 + color - 8);
    }
}

/* What turns the pen `from` into `to`. */
static void add_change(struct sgr *sgr, enum color_depth depth, const struct cell_look *from,
                       const struct cell_look *to)
{
    /* One number takes both away. */
    bool fades = (from->bold && !to->bold) || (from->dim && !to->dim);
    if (fades)
        add_parameter(sgr, 22);
    if (to->bold && (fades || !from->bold))
        add_parameter(sgr, 1);
    if (to->dim && (fades || !from->dim))
        add_parameter(sgr, 2);
    if (to->reverse != from->reverse)
        add_parameter(sgr, to->reverse ? 7 : 27);
    if (to->foreground != from->foreground)
        add_color(sgr, depth, to->foreground, 30);
    if (to->background != from->background)
        add_color(sgr, depth, to->background, 40);
}

static bool same_look(const struct cell_look *a, const struct cell_look *b)
{
    return a->foreground == b->foreground && a->background == b->background && a->bold == b->bold &&
           a->dim == b->dim && a->reverse == b->reverse;
}

static void set_pen(struct vt_output *output, const struct cell_look *look)
{
    if (same_look(&output->pen, look))
        return;
    struct sgr change = {.size = 0}, anew = {.text = "0", .size = 1};
    add_change(&change, output->depth, &output->pen, look);
    add_change(&anew, output->depth, &plain, look);
    const struct sgr *shorter = anew.size < change.size ? &anew : &change;
    add(output, "\033[", 2);
    /* No number is a 0. */
    if (shorter != &anew || anew.size > 1)
        add(output, shorter->text, shorter->size);
    add(output, "m", 1);
    output->pen = *look;
}

/* --- Cells --- */

static bool is_blank(const struct screen_cell *cell, const struct vt_output *output)
{
    struct cell_look look = cell_look(cell, output->depth, output->light);
    return cell->points[0] == ' ' && cell->points[1] == 0 && cell->width == 1 &&
           look.background < 0 && !look.reverse;
}

/* Whether every terminal and font counts one column for it. The symbols that are drawn with are
 * among those that an East Asian console counts as two. */
static bool is_certain(const struct screen_cell *cell, const struct vt_output *output)
{
    return cell->width == 1 && cell->points[1] == 0 &&
           (cell->points[0] < 0x80 ||
            (!output->steps_aside && cell->points[0] >= 0x2500 && cell->points[0] < 0x2900));
}

static void draw_cell(struct vt_output *output, const struct screen_cell *cell)
{
    struct cell_look look = cell_look(cell, output->depth, output->light);
    set_pen(output, &look);
    for (int i = 0; i < CELL_POINTS && cell->points[i] != 0; i++) {
        char utf8[4];
        add(output, utf8, text_encode(cell->points[i], utf8));
    }
    output->x = is_certain(cell, output) ? output->x + 1 : -1;
    /* At the right edge the cursor stands in the last column or behind it. */
    if (output->x >= output->width)
        output->x = -1;
}

void vt_output_draw(struct vt_output *output, int x, int y, const struct screen_cell *cells,
                    int count)
{
    int written = count;
    if (x + count >= output->width)
        while (written > 0 && is_blank(&cells[written - 1], output))
            written--;
    /* Fewer bytes than the sequence that blanks the rest of the line. */
    if (count - written <= 3)
        written = count;
    for (int i = 0; i < written; i++) {
        if (cells[i].width == 0)
            continue;
        move(output, x + i, y);
        draw_cell(output, &cells[i]);
    }
    if (written < count) {
        move(output, x + written, y);
        set_pen(output, &plain);
        add(output, "\033[K", 3);
    }
}

void vt_output_end(struct vt_output *output, int x, int y)
{
    bool shows = x >= 0;
    bool changed = output->size > output->begun;
    if (shows)
        move(output, x, y);
    if (shows != output->shows_cursor)
        add(output, shows ? "\033[?25h" : "\033[?25l", 6);
    output->shows_cursor = shows;
    if (!changed)
        return;
    /* Around the whole frame, which is shown in one. */
    size_t length = output->size - output->begun;
    add(output, SYNCHRONIZE, sizeof SYNCHRONIZE - 1);
    memmove(output->bytes + output->begun + sizeof SYNCHRONIZE - 1, output->bytes + output->begun,
            length);
    memcpy(output->bytes + output->begun, SYNCHRONIZE, sizeof SYNCHRONIZE - 1);
    add(output, SHOW_FRAME, sizeof SHOW_FRAME - 1);
}

void vt_output_written(struct vt_output *output)
{
    output->size = output->begun = 0;
}

void vt_output_free(struct vt_output *output)
{
    free(output->bytes);
    *output = (struct vt_output){0};
}

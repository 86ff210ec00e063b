/* A terminal in memory: keeps what was sent as cells and counts it; keys are scripted. */
#ifndef TESTS_SCREEN_MEMORY_H
#define TESTS_SCREEN_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "screen/door.h"

enum { MEMORY_WIDTH = 40, MEMORY_HEIGHT = 10 };

struct memory_door {
    struct door door;
    struct screen_cell cells[MEMORY_HEIGHT][MEMORY_WIDTH];
    int width, height;
    int sent; /* cells since the last flush began */
    int flushes, cursor_x;
};

static void memory_close(struct door *door)
{
    free(door);
}

static void memory_size(struct door *door, int *width, int *height)
{
    const struct memory_door *memory = (const struct memory_door *)door;
    *width = memory->width;
    *height = memory->height;
}

static void memory_draw(struct door *door, int x, int y, const struct screen_cell *cells, int count)
{
    struct memory_door *memory = (struct memory_door *)door;
    memcpy(&memory->cells[y][x], cells, (size_t)count * sizeof *cells);
    memory->sent += count;
}

static void memory_flush(struct door *door, int x, int y)
{
    (void)y;
    struct memory_door *memory = (struct memory_door *)door;
    memory->flushes++;
    memory->cursor_x = x;
}

static void memory_nothing(struct door *door)
{
    (void)door;
}

static void memory_look(struct door *door, enum screen_theme theme, bool ascii)
{
    door->glyphs = ascii ? GLYPHS_ASCII : GLYPHS_FULL;
    door->color = theme != THEME_MONO;
}

static struct screen_event memory_wait(struct door *door, int64_t until_ns,
                                       struct wake *const *wakes, size_t wake_count)
{
    (void)door;
    (void)until_ns;
    (void)wakes;
    (void)wake_count;
    return (struct screen_event){.kind = SCREEN_TIMEOUT};
}

static inline struct memory_door *memory_door_new(enum glyphs glyphs, bool color)
{
    static const struct door_ops ops = {
        .close = memory_close,
        .size = memory_size,
        .draw = memory_draw,
        .flush = memory_flush,
        .forget = memory_nothing,
        .look = memory_look,
        .suspend = memory_nothing,
        .resume = memory_nothing,
        .wait = memory_wait,
    };
    struct memory_door *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        abort();
    memory->door = (struct door){.ops = &ops, .glyphs = glyphs, .color = color};
    memory->width = MEMORY_WIDTH;
    memory->height = MEMORY_HEIGHT;
    return memory;
}

/* A row as UTF-8, without the blanks at its end. */
static inline void memory_row(const struct memory_door *memory, int y, char *out)
{
    size_t size = 0, end = 0;
    for (int x = 0; x < memory->width; x++) {
        const struct screen_cell *cell = &memory->cells[y][x];
        for (int i = 0; i < CELL_POINTS && cell->points[i] != 0 && cell->width > 0; i++)
            size += text_encode(cell->points[i], out + size);
        if (cell->width > 0 && cell->points[0] != ' ')
            end = size;
    }
    out[end] = '\0';
}

#endif

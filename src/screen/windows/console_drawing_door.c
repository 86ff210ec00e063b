#include <stdlib.h>
#include <windows.h>

#include "base/fatal.h"
#include "screen/windows/console.h"

/* The console takes a write of UTF-16 whole up to here whatever its version. */
enum { WRITE_UNITS = 8192 };

static struct console *self(struct door *door)
{
    return (struct console *)door;
}

/* --- With VT --- */

static bool write_wide(const struct console *console, const wchar_t *units, size_t count)
{
    while (count > 0) {
        DWORD part = count < WRITE_UNITS ? (DWORD)count : WRITE_UNITS, written = 0;
        /* Not between the halves of a pair. */
        if (part < count && units[part - 1] >= 0xD800 && units[part - 1] < 0xDC00)
            part--;
        if (!WriteConsoleW(console->out, units, part, &written, NULL) || written == 0)
            return false;
        units += written;
        count -= written;
    }
    return true;
}

/* UTF-16, so that the console's code page does not matter. */
static void send_bytes(struct console *console)
{
    struct vt_output *output = &console->output;
    if (output->size > 0) {
        wchar_t *units = memory_grow(NULL, output->size, sizeof *units);
        int count = MultiByteToWideChar(CP_UTF8, 0, output->bytes, (int)output->size, units,
                                        (int)output->size);
        if (count <= 0 || !write_wide(console, units, (size_t)count))
            console->gone = true;
        free(units);
    }
    vt_output_written(output);
}

/* --- With the console's own cells --- */

static bool begin_buffer(struct console *console)
{
    console->buffer =
        CreateConsoleScreenBuffer(GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                  NULL, CONSOLE_TEXTMODE_BUFFER, NULL);
    if (console->buffer == INVALID_HANDLE_VALUE) {
        console->buffer = NULL;
        return false;
    }
    /* No wrapping and no control characters: nothing scrolls. */
    SetConsoleMode(console->buffer, 0);
    return SetConsoleActiveScreenBuffer(console->buffer) != 0;
}

/* The grid of the window's size; it is drawn whole after that. */
static void fit_grid(struct console *console)
{
    struct console_grid *grid = &console->grid;
    if (grid->width == console->width && grid->height == console->height)
        return;
    grid->width = console->width;
    grid->height = console->height;
    grid->cells =
        memory_grow(grid->cells, (size_t)grid->width * (size_t)grid->height, sizeof *grid->cells);
    for (int i = 0; i < grid->width * grid->height; i++)
        grid->cells[i] = (struct console_cell){.unit = L' ', .attributes = console->own};
    grid->first = grid->height;
    grid->last = -1;
}

static void draw_cells(struct console *console, int x, int y, const struct screen_cell *cells,
                       int count)
{
    struct console_grid *grid = &console->grid;
    fit_grid(console);
    if (y >= grid->height || x + count > grid->width)
        return; /* the window has just become smaller: the next frame knows */
    for (int i = 0; i < count; i++)
        grid->cells[y * grid->width + x + i] =
            console_cell_of(&cells[i], console->output.depth, console->output.light, console->own);
    grid->first = y < grid->first ? y : grid->first;
    grid->last = y > grid->last ? y : grid->last;
}

/* The rows from the first that changed to the last, in few calls: each goes to another process. */
static void send_cells(struct console *console)
{
    _Static_assert(sizeof(CHAR_INFO) == sizeof(struct console_cell), "the console's own cell");
    struct console_grid *grid = &console->grid;
    int rows_a_call = grid->width > 0 ? WRITE_UNITS / grid->width + 1 : 1;
    for (int y = grid->first; y <= grid->last; y += rows_a_call) {
        int end = y + rows_a_call <= grid->last + 1 ? y + rows_a_call : grid->last + 1;
        COORD size = {(SHORT)grid->width, (SHORT)(end - y)}, origin = {0, 0};
        SMALL_RECT region = {(SHORT)console->left, (SHORT)(console->top + y),
                             (SHORT)(console->left + grid->width - 1),
                             (SHORT)(console->top + end - 1)};
        WriteConsoleOutputW(console->buffer, (const CHAR_INFO *)&grid->cells[y * grid->width], size,
                            origin, &region);
    }
    grid->first = grid->height;
    grid->last = -1;
}

static void place_cursor(struct console *console, int x, int y)
{
    CONSOLE_CURSOR_INFO cursor;
    BOOL shown = x >= 0;
    if (shown)
        SetConsoleCursorPosition(console->buffer,
                                 (COORD){(SHORT)(console->left + x), (SHORT)(console->top + y)});
    if (!GetConsoleCursorInfo(console->buffer, &cursor) || cursor.bVisible == shown)
        return;
    cursor.bVisible = shown;
    SetConsoleCursorInfo(console->buffer, &cursor);
}

/* --- Either --- */

bool console_begin(struct console *console)
{
    if (!console_take_vt(console))
        return begin_buffer(console);
    vt_output_enter(&console->output);
    /* A console that reads sequences itself (ConPTY) hands these on to the terminal around it,
     * which then reports the mouse; what it reports comes as mouse records all the same. */
    if (console->mouse)
        vt_output_add(&console->output, "\033[?1006h\033[?1002h");
    send_bytes(console);
    return true;
}

void console_end(struct console *console)
{
    if (console->buffer) {
        SetConsoleActiveScreenBuffer(console->out);
        CloseHandle(console->buffer);
        console->buffer = NULL;
        free(console->grid.cells);
        return;
    }
    vt_output_leave(&console->output);
    send_bytes(console);
}

void console_draw(struct door *door, int x, int y, const struct screen_cell *cells, int count)
{
    struct console *console = self(door);
    if (console->buffer)
        draw_cells(console, x, y, cells, count);
    else
        vt_output_draw(&console->output, x, y, cells, count);
}

void console_flush(struct door *door, int x, int y)
{
    struct console *console = self(door);
    if (console->buffer) {
        send_cells(console);
        place_cursor(console, x, y);
        return;
    }
    vt_output_end(&console->output, x, y);
    send_bytes(console);
}

void console_forget(struct door *door)
{
    struct console *console = self(door);
    if (!console->buffer)
        vt_output_wipe(&console->output);
}

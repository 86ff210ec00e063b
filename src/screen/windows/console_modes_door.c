#include <windows.h>

#include "screen/windows/console.h"

enum {
    OUTPUT_MODES = ENABLE_PROCESSED_OUTPUT | ENABLE_WRAP_AT_EOL_OUTPUT |
                   ENABLE_VIRTUAL_TERMINAL_PROCESSING | DISABLE_NEWLINE_AUTO_RETURN
};

static bool take_cursor(const struct console *console, COORD *cursor)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(console->out, &info))
        return false;
    *cursor = info.dwCursorPosition;
    return true;
}

/* A console may take the mode and still write sequences as characters (wine): then the cursor has
 * moved. What was written is blanked again. */
static bool obeys_vt(const struct console *console)
{
    static const wchar_t probe[] = L"\033[m";
    enum { PROBE_LENGTH = sizeof probe / sizeof *probe - 1 };
    COORD before, after;
    DWORD written = 0;
    if (!take_cursor(console, &before) ||
        !WriteConsoleW(console->out, probe, PROBE_LENGTH, &written, NULL) ||
        !take_cursor(console, &after))
        return false;
    if (before.X == after.X && before.Y == after.Y)
        return true;
    if (after.X >= PROBE_LENGTH)
        before = (COORD){(SHORT)(after.X - PROBE_LENGTH), after.Y};
    FillConsoleOutputCharacterW(console->out, L' ', PROBE_LENGTH, before, &written);
    SetConsoleCursorPosition(console->out, before);
    return false;
}

bool console_take_vt(struct console *console)
{
    if (!SetConsoleMode(console->out, OUTPUT_MODES))
        return false;
    if (obeys_vt(console))
        return true;
    SetConsoleMode(console->out, console->out_mode);
    return false;
}

/* Ctrl-C and its like are keys: none of them can leave the console in our state. Keys come with
 * their virtual codes, not as sequences: those lose what a keyboard says. */
void console_take_input(struct console *console)
{
    DWORD mode = ENABLE_WINDOW_INPUT | ENABLE_EXTENDED_FLAGS;
    /* Without quick edit: a click would stop the program until the selection ends. */
    if (console->mouse)
        mode |= ENABLE_MOUSE_INPUT;
    else
        mode |= console->in_mode & ENABLE_QUICK_EDIT_MODE;
    SetConsoleMode(console->in, mode);
}

void console_give_back(struct console *console)
{
    SetConsoleMode(console->in, console->in_mode | ENABLE_EXTENDED_FLAGS);
    SetConsoleMode(console->out, console->out_mode);
}

bool console_measure(struct console *console)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(console->buffer ? console->buffer : console->out, &info))
        return false;
    console->left = info.srWindow.Left;
    console->top = info.srWindow.Top;
    console->width = info.srWindow.Right - info.srWindow.Left + 1;
    console->height = info.srWindow.Bottom - info.srWindow.Top + 1;
    return true;
}

bool console_is_light(const struct console *console)
{
    CONSOLE_SCREEN_BUFFER_INFOEX info = {.cbSize = sizeof info};
    if (!GetConsoleScreenBufferInfoEx(console->out, &info))
        return false;
    COLORREF color = info.ColorTable[(console->own >> 4) & 15];
    /* ITU-R BT.601 luma. */
    return GetRValue(color) * 299 + GetGValue(color) * 587 + GetBValue(color) * 114 > 127500;
}

#include "os/terminal.h"

#include <windows.h>

static bool is_console(DWORD stream)
{
    DWORD mode;
    return GetConsoleMode(GetStdHandle(stream), &mode) != 0;
}

bool terminal_is_output(void)
{
    return is_console(STD_OUTPUT_HANDLE);
}

bool terminal_is_input(void)
{
    return is_console(STD_INPUT_HANDLE);
}

bool terminal_is_error(void)
{
    return is_console(STD_ERROR_HANDLE);
}

int terminal_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info)) {
        return 0;
    }
    return info.srWindow.Right - info.srWindow.Left + 1;
}

void terminal_hold_streams(void)
{
    /* Numbers are given out by the C library here, and handles have none in common with them. */
}

bool terminal_speaks_utf8(void)
{
    return true;
}

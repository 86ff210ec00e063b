#include "os/terminal.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "os/windows/console_page.h"
#include "os/windows/pty_name.h"

enum { CONSOLE_BUFFER_BYTES = 64 * 1024 };

static UINT code_page_before; /* of the console; 0: it has not been changed */

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

void console_page_give_back(void)
{
    UINT before = code_page_before;
    code_page_before = 0;
    if (before != 0) {
        SetConsoleOutputCP(before);
    }
}

static BOOL WINAPI leave_console(DWORD control)
{
    (void)control;
    console_page_give_back();
    return FALSE; /* the next handler, or the end */
}

/* The page is the console's: the shell and all its programs share it. */
static void take_code_page(void)
{
    UINT page = GetConsoleOutputCP();
    if (page == 0 || page == CP_UTF8 || !(terminal_is_output() || terminal_is_error()) ||
        !SetConsoleOutputCP(CP_UTF8)) {
        return;
    }
    code_page_before = page;
    (void)atexit(console_page_give_back);
    SetConsoleCtrlHandler(leave_console, TRUE);
}

/* Streams are bytes, as everywhere else: no carriage returns come into JSON. Numbers are given out
 * by the C library here, and handles have none in common with them, so nothing is to be held. */
void terminal_hold_streams(void)
{
    FILE *const streams[] = {stdin, stdout, stderr};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        int descriptor = _fileno(streams[i]);
        if (descriptor >= 0) {
            _setmode(descriptor, _O_BINARY);
        }
    }
    /* Without one of its own the C library writes to a console byte by byte, which is no UTF-8. */
    if (terminal_is_output()) {
        setvbuf(stdout, NULL, _IOFBF, CONSOLE_BUFFER_BYTES);
    }
    take_code_page();
}

static const char *family_of(DWORD stream)
{
    struct {
        FILE_NAME_INFO info;
        wchar_t room[MAX_PATH];
    } name = {.info = {.FileNameLength = 0}};
    char narrow[MAX_PATH];
    HANDLE handle = GetStdHandle(stream);
    if (GetFileType(handle) != FILE_TYPE_PIPE ||
        !GetFileInformationByHandleEx(handle, FileNameInfo, &name, sizeof name - sizeof(wchar_t))) {
        return NULL;
    }
    int length = WideCharToMultiByte(CP_UTF8, 0, name.info.FileName,
                                     (int)(name.info.FileNameLength / sizeof(wchar_t)), narrow,
                                     (int)sizeof narrow - 1, NULL, NULL);
    narrow[length > 0 ? length : 0] = '\0';
    return pty_family(narrow);
}

const char *terminal_advice(void)
{
    const char *family = family_of(STD_OUTPUT_HANDLE);
    if (family == NULL) {
        family = family_of(STD_INPUT_HANDLE);
    }
    if (family == NULL) {
        return NULL;
    }
    return family[0] == 'M'
               ? "this window is a pty of MSYS2, which Windows programs see as a pipe: start "
                 "`winpty gputaskman`, or use Windows Terminal"
               : "this window is a pty of Cygwin, which Windows programs see as a pipe: start "
                 "`winpty gputaskman`, or use Windows Terminal";
}

/* The C library makes EINVAL of it, or nothing: a pipe fails for no other reason. */
bool terminal_reader_is_gone(int error)
{
    (void)error;
    return GetFileType(GetStdHandle(STD_OUTPUT_HANDLE)) == FILE_TYPE_PIPE;
}

bool terminal_speaks_utf8(void)
{
    return true;
}

#include "os/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <windows.h>

#include "os/windows/console_page.h"

/* As POSIX numbers them. */
enum { NUMBER_HANGUP = 1, NUMBER_INTERRUPT = 2, NUMBER_TERMINATE = 15 };
/* Longer than Windows lets a program live once its window is closed (5 s; 20 s at shutdown). */
enum { CLOSING_MS = 30000 };

/* The console's handler has no argument to hang state off. */
static struct {
    struct wake *wake;
    atomic_int quit, last_quit;
    _Atomic(const char *) restore;
    DWORD input_mode, output_mode; /* of the console before the screen changed them */
    HANDLE screen;                 /* the screen buffer that was shown then */
    bool has_modes;
} arrived;

static BOOL WINAPI note_control(DWORD control)
{
    bool is_key = control == CTRL_C_EVENT || control == CTRL_BREAK_EVENT;

    atomic_store(&arrived.quit, is_key                        ? NUMBER_INTERRUPT
                                : control == CTRL_CLOSE_EVENT ? NUMBER_HANGUP
                                                              : NUMBER_TERMINATE);
    wake_signal(arrived.wake);
    /* Windows ends the process when this returns, whatever its answer is: the main thread comes
     * first. */
    if (!is_key)
        Sleep(CLOSING_MS);
    return TRUE;
}

void signals_start(struct wake *wake)
{
    arrived.wake = wake;
    arrived.has_modes = GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &arrived.input_mode) &&
                        GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &arrived.output_mode);
    if (arrived.has_modes && !arrived.screen)
        arrived.screen =
            CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                        FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    SetConsoleCtrlHandler(note_control, TRUE);
}

enum signal_event signals_next(void)
{
    int quit = atomic_exchange(&arrived.quit, 0);

    if (!quit)
        return SIGNAL_NONE;
    atomic_store(&arrived.last_quit, quit);
    return SIGNAL_QUIT;
}

int signals_quit_number(void)
{
    return atomic_load(&arrived.last_quit);
}

bool signals_quit_is_wanted(void)
{
    return atomic_load(&arrived.quit) != 0 || atomic_load(&arrived.last_quit) != 0;
}

/* A console sends its keys to all its programs, and nobody else sends any. */
void signals_pass_to(int64_t pid)
{
    (void)pid;
}

/* Windows has no job control. */
void signals_stop_self(void) {}

void signals_restore_terminal(void)
{
    const char *bytes = atomic_load(&arrived.restore);
    DWORD written;

    if (!bytes)
        return;
    if (bytes[0] != '\0')
        WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes, (DWORD)strlen(bytes), &written, NULL);
    if (!arrived.has_modes)
        return;
    SetConsoleActiveScreenBuffer(arrived.screen);
    SetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), arrived.input_mode | ENABLE_EXTENDED_FLAGS);
    SetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), arrived.output_mode);
    console_page_give_back();
}

static LONG WINAPI restore_and_die(EXCEPTION_POINTERS *exception)
{
    (void)exception;
    signals_restore_terminal();
    return EXCEPTION_CONTINUE_SEARCH;
}

static void restore_and_abort(int number)
{
    signals_restore_terminal();
    signal(number, SIG_DFL);
    raise(number);
}

void signals_set_crash_restore(const char *bytes)
{
    atomic_store(&arrived.restore, bytes);
    signal(SIGABRT, bytes ? restore_and_abort : SIG_DFL);
    SetUnhandledExceptionFilter(bytes ? restore_and_die : NULL);
}

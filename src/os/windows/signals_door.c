#include "os/signals.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <windows.h>

enum { NUMBER_INTERRUPT = 2, NUMBER_TERMINATE = 15 };

/* The console's handler has no argument to hang state off. */
static struct {
    struct wake *wake;
    atomic_int quit, last_quit;
    _Atomic(const char *) restore;
} arrived;

static BOOL WINAPI note_control(DWORD control)
{
    bool is_key = control == CTRL_C_EVENT || control == CTRL_BREAK_EVENT;

    atomic_store(&arrived.quit, is_key ? NUMBER_INTERRUPT : NUMBER_TERMINATE);
    wake_signal(arrived.wake);
    return TRUE;
}

void signals_start(struct wake *wake)
{
    arrived.wake = wake;
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

    if (bytes)
        WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes, (DWORD)strlen(bytes), &written, NULL);
}

static LONG WINAPI restore_and_die(EXCEPTION_POINTERS *exception)
{
    (void)exception;
    signals_restore_terminal();
    return EXCEPTION_CONTINUE_SEARCH;
}

void signals_set_crash_restore(const char *bytes)
{
    atomic_store(&arrived.restore, bytes);
    SetUnhandledExceptionFilter(bytes ? restore_and_die : NULL);
}

/* Refused: ending a process by its start stamp comes with the Windows process reader. */
int signals_send(const struct identity *identity, int number)
{
    (void)identity;
    (void)number;
    return ENOSYS;
}

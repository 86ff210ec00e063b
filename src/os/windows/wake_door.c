#include "os/wake.h"

#include <stdlib.h>
#include <windows.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "os/windows/wake_handle.h"

struct wake {
    HANDLE event; /* manual reset */
};

struct wake *wake_new(void)
{
    struct wake *wake = memory_new(sizeof *wake);

    wake->event = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (!wake->event)
        fatal_out_of_memory(sizeof *wake);
    return wake;
}

void wake_free(struct wake **wake)
{
    if (!*wake)
        return;
    CloseHandle((*wake)->event);
    free(*wake);
    *wake = NULL;
}

void wake_signal(struct wake *wake)
{
    SetEvent(wake->event);
}

void wake_clear(struct wake *wake)
{
    ResetEvent(wake->event);
}

bool wake_wait(struct wake *wake, int64_t until_ns)
{
    for (;;) {
        int64_t left = until_ns == INT64_MAX ? INT64_MAX : until_ns - thread_clock_ns();
        int64_t milliseconds = left <= 0 ? 0 : left / 1000000 + 1;
        DWORD timeout = milliseconds < 1000000 ? (DWORD)milliseconds : 1000000;

        if (WaitForSingleObject(wake->event, timeout) == WAIT_OBJECT_0)
            return true;
        if (left <= 0)
            return false;
    }
}

int wake_descriptor(const struct wake *wake)
{
    (void)wake;
    return -1;
}

void *wake_handle(const struct wake *wake)
{
    return wake->event;
}

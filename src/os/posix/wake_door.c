#include "os/wake.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "os/pipe_door.h"

struct wake {
    int ends[2];
};

/* Out of descriptors at start is as hopeless as out of memory, and as rare. */
struct wake *wake_new(void)
{
    struct wake *wake = memory_new(sizeof *wake);

    if (!pipe_open(wake->ends))
        fatal_out_of_descriptors();
    return wake;
}

void wake_free(struct wake **wake)
{
    if (!*wake)
        return;
    pipe_close((*wake)->ends);
    free(*wake);
    *wake = NULL;
}

/* Runs in signal handlers: nothing but write(), and errno as it was. A full pipe is a signal too.
 */
void wake_signal(struct wake *wake)
{
    int error = errno;
    ssize_t written;

    do
        written = write(wake->ends[1], "", 1);
    while (written < 0 && errno == EINTR);
    errno = error;
}

void wake_clear(struct wake *wake)
{
    char bytes[256];
    ssize_t got;

    do
        got = read(wake->ends[0], bytes, sizeof bytes);
    while (got == (ssize_t)sizeof bytes || (got < 0 && errno == EINTR));
}

bool wake_wait(struct wake *wake, int64_t until_ns)
{
    for (;;) {
        struct pollfd polled = {.fd = wake->ends[0], .events = POLLIN};
        int timeout = -1;

        if (until_ns != INT64_MAX) {
            int64_t left = until_ns - thread_clock_ns();
            int64_t milliseconds = left <= 0 ? 0 : (left - 1) / 1000000 + 1;

            timeout = milliseconds < 1000000 ? (int)milliseconds : 1000000;
        }
        int ready = poll(&polled, 1, timeout);

        if (ready > 0)
            return true;
        if (until_ns != INT64_MAX && thread_clock_ns() >= until_ns)
            return false;
    }
}

int wake_descriptor(const struct wake *wake)
{
    return wake->ends[0];
}

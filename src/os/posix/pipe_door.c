#include "os/pipe_door.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool pipe_end_prepare(int *end)
{
    if (*end <= 2) {
        int moved = fcntl(*end, F_DUPFD_CLOEXEC, 3);

        if (moved < 0)
            return false;
        close(*end);
        *end = moved;
    }
    int flags = fcntl(*end, F_GETFL);

    return flags >= 0 && fcntl(*end, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(*end, F_SETFD, FD_CLOEXEC) == 0;
}

bool pipe_open(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    if (pipe_end_prepare(&ends[0]) && pipe_end_prepare(&ends[1]))
        return true;
    int error = errno;

    pipe_close(ends);
    errno = error;
    return false;
}

void pipe_close(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

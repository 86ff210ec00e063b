#include "os/pipe_door.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* pipe2: between pipe() and fcntl() another thread may start a helper, which would then hold the
 * pipe open. */
bool pipe_open(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        if (ends[i] > 2)
            continue;
        int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);

        if (moved < 0) {
            int error = errno;

            pipe_close(ends);
            errno = error;
            return false;
        }
        close(ends[i]);
        ends[i] = moved;
    }
    return true;
}

void pipe_close(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

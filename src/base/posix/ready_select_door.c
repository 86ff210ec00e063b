#include <errno.h>
#include <stdbool.h>
#include <sys/select.h>

#include "base/ready_door.h"

static bool fits(int descriptor)
{
    return descriptor >= 0 && descriptor < FD_SETSIZE;
}

static int fill(const struct pollfd *polled, size_t count, fd_set *reading, fd_set *writing)
{
    int most = -1;
    FD_ZERO(reading);
    FD_ZERO(writing);
    for (size_t i = 0; i < count; i++) {
        if (!fits(polled[i].fd))
            continue;
        if (polled[i].events & POLLIN)
            FD_SET(polled[i].fd, reading);
        if (polled[i].events & POLLOUT)
            FD_SET(polled[i].fd, writing);
        most = polled[i].fd > most ? polled[i].fd : most;
    }
    return most;
}

/* True when one can't be waited for: that is told at once. */
static bool tell_impossible(struct pollfd *polled, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        bool impossible = polled[i].fd >= 0 && !fits(polled[i].fd);
        polled[i].revents = impossible ? POLLNVAL : 0;
        any |= impossible;
    }
    return any;
}

/* A descriptor that is not open ends select() with EBADF: poll() tells which one it is. */
int ready_poll_by_select(struct pollfd *polled, size_t count, int timeout_ms)
{
    fd_set reading, writing;
    bool at_once = tell_impossible(polled, count) || timeout_ms == 0;
    struct timeval wait = {0};
    int most = fill(polled, count, &reading, &writing), ready = 0;
    if (!at_once && timeout_ms > 0) {
        wait.tv_sec = timeout_ms / 1000;
        wait.tv_usec = timeout_ms % 1000 * 1000;
    }
    struct timeval *until = !at_once && timeout_ms < 0 ? NULL : &wait;
    if (select(most + 1, &reading, &writing, NULL, until) < 0)
        return errno == EBADF ? poll(polled, (nfds_t)count, 0) : -1;
    for (size_t i = 0; i < count; i++) {
        if (fits(polled[i].fd) && FD_ISSET(polled[i].fd, &reading))
            polled[i].revents |= POLLIN;
        if (fits(polled[i].fd) && FD_ISSET(polled[i].fd, &writing))
            polled[i].revents |= POLLOUT;
        ready += polled[i].revents != 0;
    }
    return ready;
}

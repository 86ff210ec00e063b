#include "os/linux/process_door.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fatal.h"

int process_door_open_stat(const struct root *root, int64_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "proc/%" PRId64 "/stat", pid);
    return root_open_descriptor(root, path, O_RDONLY | O_NOCTTY, NULL);
}

int64_t process_door_read_stat(int descriptor, char *buffer, size_t size)
{
    ssize_t got;
    do
        got = pread(descriptor, buffer, size, 0);
    while (got < 0 && errno == EINTR);
    return got > 0 ? got : -1;
}

void process_door_close(int descriptor)
{
    close(descriptor);
}

bool process_door_is_us(int64_t pid)
{
    return pid == getpid();
}

int process_door_open_end(int64_t pid)
{
#ifdef SYS_pidfd_open
    if (pid > 0 && pid <= INT32_MAX)
        return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
#endif
    (void)pid;
    return -1;
}

struct process_ends {
    int queue; /* of epoll(7) */
};

struct process_ends *process_ends_new(void)
{
    int queue = epoll_create1(EPOLL_CLOEXEC);
    if (queue < 0)
        return NULL;
    struct process_ends *ends = memory_new(sizeof *ends);
    ends->queue = queue;
    return ends;
}

void process_ends_free(struct process_ends **ends)
{
    if (!*ends)
        return;
    close((*ends)->queue);
    free(*ends);
    *ends = NULL;
}

bool process_ends_watch(struct process_ends *ends, int descriptor, int64_t pid)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = (uint64_t)pid};
    return epoll_ctl(ends->queue, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void process_ends_take(struct process_ends *ends, void (*tell)(int64_t pid, void *context),
                       void *context)
{
    enum { AT_ONCE = 64 };
    struct epoll_event events[AT_ONCE];
    int count;
    do {
        count = epoll_wait(ends->queue, events, AT_ONCE, 0);
        for (int i = 0; i < count; i++)
            tell((int64_t)events[i].data.u64, context);
    } while (count == AT_ONCE || (count < 0 && errno == EINTR));
}

int64_t process_door_ticks_per_second(void)
{
    return sysconf(_SC_CLK_TCK);
}

int64_t process_door_page_bytes(void)
{
    return sysconf(_SC_PAGESIZE);
}

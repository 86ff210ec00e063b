#include "gpu/metal/footprint_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"

extern char **environ;

/* Its errors are nobody's business, and it reads nothing. */
static bool start(const char *program, int64_t pid, int output, pid_t *child)
{
    char number[24];
    char *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "-p",    number,
                    (char *)(uintptr_t) "-f",   (char *)(uintptr_t) "bytes", NULL};
    posix_spawn_file_actions_t actions;
    snprintf(number, sizeof number, "%" PRId64, pid);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool good =
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0 &&
        posix_spawn(child, program, &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return good;
}

/* True at its end, in time and within the size. */
static bool read_all(int input, int64_t until_ns, char *text, size_t size, size_t *length)
{
    *length = 0;
    for (;;) {
        int64_t left_ns = until_ns - thread_clock_ns();
        struct pollfd poller = {.fd = input, .events = POLLIN};
        int ready = left_ns > 0 ? poll(&poller, 1, (int)(left_ns / 1000000) + 1) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0 || *length == size)
            return false;
        ssize_t got = read(input, text + *length, size - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        *length += (size_t)got;
    }
}

static bool close_on_exec(int descriptors[2])
{
    return fcntl(descriptors[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(descriptors[1], F_SETFD, FD_CLOEXEC) == 0;
}

bool footprint_run(int64_t pid, int64_t bound_ns, char *text, size_t size, size_t *length)
{
    const char *named = getenv("GPUTASKMAN_FOOTPRINT");
    int descriptors[2], status = 0;
    pid_t child;
    if (pipe(descriptors) != 0)
        return false;
    bool started = close_on_exec(descriptors) &&
                   start(named ? named : "/usr/bin/footprint", pid, descriptors[1], &child);
    close(descriptors[1]);
    bool read =
        started && read_all(descriptors[0], thread_clock_ns() + bound_ns, text, size, length);
    close(descriptors[0]);
    if (!started)
        return false;
    if (!read)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return read && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#include "os/helper_door.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "os/pipe_door.h"
#include "os/self_door.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define HAS_CLOSE_FROM
#endif
#endif

extern char **environ;

enum { PATH_BYTES = 4096, ARGUMENTS_MAX = 64, DESCRIPTORS_LOOKED_AT = 1024, WAIT_MAX = 64 };

struct helper_process {
    pid_t pid;
    int input;  /* to its standard input; -1: closed */
    int output; /* from its standard output; -1: at its end */
    bool ended;
    struct problem how;
};

/* Our own descriptors are all close-on-exec; these are what we were started with. */
static int close_inherited(posix_spawn_file_actions_t *actions)
{
#ifdef HAS_CLOSE_FROM
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
    int error = 0;

    for (int descriptor = 3; descriptor < DESCRIPTORS_LOOKED_AT && !error; descriptor++) {
        int flags = fcntl(descriptor, F_GETFD);

        if (flags >= 0 && !(flags & FD_CLOEXEC))
            error = posix_spawn_file_actions_addclose(actions, descriptor);
    }
    return error;
#endif
}

static int set_streams(posix_spawn_file_actions_t *actions, int input, int output)
{
    int error = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);

    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    return error ? error : close_inherited(actions);
}

/* No signal blocked or ignored, whatever our thread has; a process group of its own, so that the
 * terminal's Ctrl-C and Ctrl-Z are for us alone. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETPGROUP);
}

static int spawn(pid_t *pid, const char *path, char *const *argv, int input, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = set_streams(&actions, input, output);
        if (!error)
            error = set_attributes(&attributes);
        if (!error)
            error = posix_spawnp(pid, path, &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The helper's own ends block, as programs expect of their streams: ours alone are non-blocking. */
static void make_blocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);

    if (flags >= 0)
        fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
}

static int start_with_pipes(struct helper_process *process, const char *path, char *const *argv)
{
    int to[2], from[2];

    if (!pipe_open(to))
        return errno;
    if (!pipe_open(from)) {
        int error = errno;

        pipe_close(to);
        return error;
    }
    make_blocking(to[0]);
    make_blocking(from[1]);
    int error = spawn(&process->pid, path, argv, to[0], from[1]);

    if (!error) {
        process->input = to[1];
        process->output = from[0];
        to[1] = from[0] = -1;
    }
    pipe_close(to);
    pipe_close(from);
    return error;
}

struct helper_process *helper_process_start(const char *const *argv, struct problem *problem)
{
    char path[PATH_BYTES];
    char name[] = "gputaskman";
    char *arguments[ARGUMENTS_MAX + 1] = {(char *)(uintptr_t)argv[0]};

    if (argv[0]) {
        if (snprintf(path, sizeof path, "%s", argv[0]) >= (int)sizeof path) {
            problem_set(problem, "cannot be started: its path is too long");
            return NULL;
        }
    } else {
        arguments[0] = name;
        if (!self_program_path(path, sizeof path)) {
            problem_set(problem, "cannot be started: this program does not find itself");
            return NULL;
        }
    }
    for (size_t i = 1; i < ARGUMENTS_MAX && argv[i]; i++)
        arguments[i] = (char *)(uintptr_t)argv[i]; /* exec takes them without const, for history */

    struct helper_process *process = memory_new(sizeof *process);
    int error = start_with_pipes(process, path, arguments);

    if (error) {
        problem_set(problem, "%s cannot be started: %s", path, strerror(error));
        free(process);
        return NULL;
    }
    return process;
}

int64_t helper_process_id(const struct helper_process *process)
{
    return process->pid;
}

/* write() without SIGPIPE, whatever this thread and process do with that signal: where it is
 * raised, it is taken back before it is unblocked. */
static ssize_t write_quietly(int descriptor, const char *bytes, size_t size)
{
    sigset_t broken, before, pending;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;

    pthread_sigmask(SIG_BLOCK, &broken, &before);
    ssize_t written = write(descriptor, bytes, size);
    int error = errno;

    if (written < 0 && error == EPIPE && !was_pending) {
        int number;

        sigpending(&pending);
        if (sigismember(&pending, SIGPIPE) == 1)
            sigwait(&broken, &number);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static enum helper_transfer transfer_result(ssize_t moved_bytes, size_t *moved)
{
    *moved = moved_bytes > 0 ? (size_t)moved_bytes : 0;
    if (moved_bytes > 0)
        return HELPER_MOVED;
    bool later = moved_bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);

    return later ? HELPER_WAIT : HELPER_AT_END;
}

enum helper_transfer helper_process_write(struct helper_process *process, const char *bytes,
                                          size_t size, size_t *moved)
{
    *moved = 0;
    if (process->input < 0)
        return HELPER_AT_END;
    return transfer_result(write_quietly(process->input, bytes, size), moved);
}

enum helper_transfer helper_process_read(struct helper_process *process, char *bytes, size_t size,
                                         size_t *moved)
{
    *moved = 0;
    if (process->output < 0)
        return HELPER_AT_END;
    return transfer_result(read(process->output, bytes, size), moved);
}

void helper_process_close_input(struct helper_process *process)
{
    if (process->input >= 0)
        close(process->input);
    process->input = -1;
}

/* Not after it was reaped: its number may be another's by then. */
void helper_process_kill(struct helper_process *process)
{
    if (process->ended)
        return;
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
}

static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
        {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
        {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
        {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            return names[i].name;
    return "?";
}

/* What the helper has started goes with it. Its number is ours until it is reaped, so the group is
 * killed before that. */
static bool reap(struct helper_process *process, int *status)
{
    siginfo_t info = {.si_pid = 0};

    if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
        if (info.si_pid == 0)
            return false;
        kill(-process->pid, SIGKILL);
    }
    pid_t reaped = waitpid(process->pid, status, WNOHANG);

    /* Where SIGCHLD is ignored the system reaps by itself and nobody is told. */
    if (reaped < 0)
        *status = -1;
    return reaped != 0;
}

static void describe_end(int status, struct problem *how)
{
    if (status == -1)
        problem_set(how, "ended, nobody knows how");
    else if (WIFSIGNALED(status))
        problem_set(how, "killed by signal %d (%s)", WTERMSIG(status),
                    signal_name(WTERMSIG(status)));
    else
        problem_set(how, "ended by itself with exit status %d", WEXITSTATUS(status));
}

bool helper_process_has_ended(struct helper_process *process, struct problem *how)
{
    int status;

    if (!process->ended && reap(process, &status)) {
        process->ended = true;
        describe_end(status, &process->how);
    }
    if (process->ended && how)
        *how = process->how;
    return process->ended;
}

void helper_process_free(struct helper_process **process)
{
    if (!*process)
        return;
    helper_process_close_input(*process);
    if ((*process)->output >= 0)
        close((*process)->output);
    free(*process);
    *process = NULL;
}

static int poll_timeout(int64_t until_ns)
{
    if (until_ns == INT64_MAX)
        return -1;
    int64_t left = until_ns - thread_clock_ns();
    int64_t milliseconds = left <= 0 ? 0 : (left - 1) / 1000000 + 1;

    return milliseconds < 1000000 ? (int)milliseconds : 1000000;
}

void helper_door_wait(struct helper_waiting *waiting, size_t count, struct wake *wake,
                      int64_t until_ns)
{
    struct pollfd polled[2 * WAIT_MAX + 1];
    nfds_t used = 0;

    if (count > WAIT_MAX)
        count = WAIT_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct helper_process *process = waiting[i].process;
        int input = waiting[i].to_write ? process->input : -1;

        /* poll() leaves out what is -1. */
        polled[used++] = (struct pollfd){.fd = process->output, .events = POLLIN};
        polled[used++] = (struct pollfd){.fd = input, .events = POLLOUT};
    }
    polled[used++] = (struct pollfd){.fd = wake ? wake_descriptor(wake) : -1, .events = POLLIN};
    int ready;

    do
        ready = poll(polled, used, poll_timeout(until_ns));
    while (ready < 0 && errno == EINTR && thread_clock_ns() < until_ns);
    for (size_t i = 0; i < count; i++)
        waiting[i].happened = ready > 0 && (polled[2 * i].revents || polled[2 * i + 1].revents);
}

/* The other end of standard input is held by our parent alone. Closed with nothing to read: it died
 * before self_die_with_parent() could see it. */
static bool parent_has_closed(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLIN)) == POLLHUP;
}

void helper_door_become(void)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP};
    struct rlimit no_core = {0, 0};

    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    /* A library that crashes at every try must not fill the disk. */
    setrlimit(RLIMIT_CORE, &no_core);
    if (!self_die_with_parent() || parent_has_closed())
        _exit(0);
}

#include "os/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "os/child_kin_door.h"

extern char **environ;

enum { MARK_SIZE = 64, ANCESTORS_MAX = 64 };

struct child {
    pid_t pid;
    char mark[MARK_SIZE]; /* in the environment of the whole tree */
    struct wake *wake;
    struct thread *waiter;
    atomic_bool ended;
};

static void wait_for_end(void *context)
{
    struct child *child = context;
    siginfo_t info;

    while (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    atomic_store(&child->ended, true);
    wake_signal(child->wake);
}

/* The file that a name stands for; the caller frees it. NULL: there is none. */
static char *find_program(const char *name)
{
    const char *folders = strchr(name, '/') ? "" : getenv("PATH");
    size_t size = strlen(name) + (folders ? strlen(folders) : 0) + 2;
    char *path = memory_new(size);
    struct stat about;

    if (strchr(name, '/')) {
        memcpy(path, name, strlen(name));
        return path;
    }
    while (folders) {
        size_t length = strcspn(folders, ":");

        snprintf(path, size, "%.*s%s%s", (int)length, folders, length ? "/" : "", name);
        if (access(path, X_OK) == 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode))
            return path;
        folders = folders[length] ? folders + length + 1 : NULL;
    }
    free(path);
    return NULL;
}

/* A program for another machine is no script. */
static bool is_text(const char *path)
{
    char bytes[128];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = descriptor >= 0 ? read(descriptor, bytes, sizeof bytes) : -1;

    if (descriptor >= 0)
        close(descriptor);
    return size >= 0 && memchr(bytes, '\0', (size_t)size) == NULL;
}

/* A script that does not say whose it is, is the shell's, as for execvp(). */
static int spawn_script(struct child *child, const posix_spawnattr_t *attributes, char *const *argv,
                        char *const *environment)
{
    char *path = find_program(argv[0]);
    size_t count = 0;
    int error = ENOEXEC;

    while (argv[count])
        count++;
    char **with_shell = memory_new((count + 2) * sizeof *with_shell);

    with_shell[0] = (char *)(uintptr_t) "/bin/sh";
    with_shell[1] = path;
    memcpy(with_shell + 2, argv + 1, count * sizeof *argv);
    if (path && is_text(path))
        error = posix_spawn(&child->pid, with_shell[0], NULL, attributes, with_shell, environment);
    free(with_shell);
    free(path);
    return error;
}

/* What we ignore for ourselves is not the child's business. */
static int spawn(struct child *child, char *const *argv, char *const *environment)
{
    posix_spawnattr_t attributes;
    sigset_t ours;
    int error = posix_spawnattr_init(&attributes);

    if (error)
        return error;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ);
    sigaddset(&ours, SIGCHLD);
    posix_spawnattr_setsigdefault(&attributes, &ours);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    error = posix_spawnp(&child->pid, argv[0], NULL, &attributes, argv, environment);
    if (error == ENOEXEC)
        error = spawn_script(child, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int spawn_marked(struct child *child, char *const *argv)
{
    size_t count = 0;

    while (environ[count])
        count++;
    char **environment = memory_new((count + 2) * sizeof *environment);

    memcpy(environment, environ, count * sizeof *environment);
    environment[count] = child->mark;
    int error = spawn(child, argv, environment);

    free(environment);
    return error;
}

struct child *child_start(char *const *argv, struct wake *wake, int *exit_status,
                          struct problem *problem)
{
    struct child *child = memory_new(sizeof *child);
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(child->mark, sizeof child->mark, "GPUTASKMAN_RECORDED_BY=%d.%lld.%ld", (int)getpid(),
             (long long)now.tv_sec, now.tv_nsec);
    child->wake = wake;
    /* Ignored, the system would forget how it ended. */
    signal(SIGCHLD, SIG_DFL);
    int error = spawn_marked(child, argv);

    if (error) {
        problem_set(problem, "cannot run %.200s: %s", argv[0], strerror(error));
        *exit_status = error == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_EXECUTABLE;
        free(child);
        return NULL;
    }
    child->waiter = thread_start("waiter", wait_for_end, child);
    return child;
}

int64_t child_id(const struct child *child)
{
    return child->pid;
}

bool child_has_ended(const struct child *child)
{
    siginfo_t info = {.si_pid = 0};

    if (child->waiter)
        return atomic_load(&child->ended);
    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid;
}

int child_finish(struct child *child)
{
    int status = 0;

    if (child->waiter)
        thread_join(&child->waiter);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
    return WIFSIGNALED(status) ? CHILD_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_free(struct child **child)
{
    free(*child);
    *child = NULL;
}

static bool has_mark(const char *environment, size_t size, const char *mark)
{
    size_t length = strlen(mark) + 1;

    for (size_t at = 0; at + length <= size;) {
        if (memcmp(environment + at, mark, length) == 0)
            return true;
        const char *end = memchr(environment + at, '\0', size - at);

        at = end ? (size_t)(end - environment) + 1 : size;
    }
    return false;
}

/* A daemon leaves its parents, but not its environment. */
static bool is_marked(const struct child *child, int64_t pid)
{
    size_t size = 0;
    char *environment = child_environment_of(pid, &size);
    bool marked = environment && has_mark(environment, size, child->mark);

    free(environment);
    return marked;
}

bool child_is_ancestor(const struct child *child, int64_t pid)
{
    int64_t at = pid;

    for (int i = 0; at > 1 && i < ANCESTORS_MAX; i++) {
        if (at == child->pid)
            return true;
        at = child_parent_of(at);
    }
    return is_marked(child, pid);
}

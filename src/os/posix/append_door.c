#include "os/append.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/ready_door.h"
#include "os/append_tail.h"
#include "os/signals.h"

enum { LOOK_MS = 200 }; /* how often a slow reader makes us look for signals */

struct append {
    int descriptor;
    bool is_file; /* can be cut back */
    bool alone;
    bool has_name; /* as far as its file system tells */
    int64_t cut_bytes;
    off_t end; /* behind our last piece */
    char *path;
};

static bool read_at(void *context, int64_t at, char *bytes, size_t size)
{
    const int *descriptor = context;

    while (size) {
        ssize_t got = pread(*descriptor, bytes, size, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static enum append_tail look_at_tail(const char *path, const struct stat *about,
                                     const struct append_format *format,
                                     struct append_mending *mending)
{
    struct stat same;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct append_reader reader = {.read = read_at, .context = &descriptor};
    enum append_tail tail = APPEND_TAIL_WHOLE; /* what may not be read cannot be judged */

    if (descriptor >= 0 && fstat(descriptor, &same) == 0 && same.st_dev == about->st_dev &&
        same.st_ino == about->st_ino)
        tail = format->look(format, &reader, same.st_size, mending);
    if (descriptor >= 0)
        close(descriptor);
    return tail;
}

static bool mend(struct append *append, const struct append_mending *mending)
{
    return ftruncate(append->descriptor, (off_t)mending->end) == 0 &&
           write(append->descriptor, mending->closing, mending->closing_size) ==
               (ssize_t)mending->closing_size;
}

/* Every recorder holds a shared lock: whoever gets an exclusive one is alone, and what looks torn
 * is not being written just now. Where there are no locks this is as good as it gets. */
static bool mend_tail(struct append *append, const struct stat *about,
                      const struct append_format *format, struct problem *problem)
{
    bool alone = flock(append->descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    struct append_mending mending = {0, "", 0};

    if (!alone && format->alone)
        return problem_set(problem,
                           "another program is recording into %.300s; name another file "
                           "with -o",
                           append->path);
    enum append_tail tail = alone && about->st_size > 0
                                ? look_at_tail(append->path, about, format, &mending)
                                : APPEND_TAIL_WHOLE;

    if (tail == APPEND_TAIL_TORN && mend(append, &mending))
        append->cut_bytes = about->st_size - mending.end;
    else if (tail != APPEND_TAIL_WHOLE)
        return problem_set(problem,
                           "%.300s does not end with a whole line of a recording; name another "
                           "file with -o",
                           append->path);
    if (!format->alone)
        flock(append->descriptor, LOCK_SH | LOCK_NB);
    return true;
}

static int open_for_append(const char *path)
{
    /* Without O_NONBLOCK a pipe without a reader would be waited for. */
    int descriptor =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    int flags = descriptor >= 0 ? fcntl(descriptor, F_GETFL) : -1;

    if (flags >= 0)
        fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
    return descriptor;
}

static bool open_failed(const char *path, struct problem *problem)
{
    struct stat about;
    int error = errno;
    bool is_pipe = error == ENXIO && stat(path, &about) == 0 && S_ISFIFO(about.st_mode);

    return problem_set(problem, "cannot write %.300s: %s; name another file with -o", path,
                       is_pipe ? "nobody reads from that pipe" : strerror(error));
}

struct append *append_open(const char *path, const struct append_format *format,
                           struct problem *problem)
{
    bool is_output = strcmp(path, "-") == 0;
    int descriptor = is_output ? STDOUT_FILENO : open_for_append(path);
    struct stat about;

    if (descriptor < 0) {
        open_failed(path, problem);
        return NULL;
    }
    struct append *append = memory_new(sizeof *append);

    append->descriptor = descriptor;
    append->is_file = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    append->alone = format->alone;
    append->has_name = append->is_file && about.st_nlink > 0;
    append->path = memory_new(strlen(path) + 1);
    memcpy(append->path, path, strlen(path) + 1);
    if (append->is_file && !is_output && !mend_tail(append, &about, format, problem)) {
        struct problem ignored;

        append_close(&append, &ignored);
    }
    return append;
}

int64_t append_cut_bytes(const struct append *append)
{
    return append->cut_bytes;
}

int64_t append_size_bytes(const struct append *append)
{
    struct stat about;

    return append->is_file && fstat(append->descriptor, &about) == 0 ? about.st_size : 0;
}

static enum append_result write_failed(struct append *append, off_t begun, size_t written,
                                       struct problem *problem)
{
    int error = errno;
    if (error == EPIPE) {
        return APPEND_CLOSED;
    }
    if (append->is_file && written > 0 && begun >= 0 && ftruncate(append->descriptor, begun) != 0) {
        problem_set(problem, "cannot write %.200s (%s), and its last line is torn; readers skip it",
                    append->path, strerror(error));
        return APPEND_FAILED;
    }
    problem_set(problem, "cannot write %.300s: %s; what was written before is whole", append->path,
                strerror(error));
    return APPEND_FAILED;
}

/* Until a pipe or terminal takes PIPE_BUF bytes without blocking; false: we are asked to leave. */
static bool wait_for_room(const struct append *append)
{
    struct pollfd polled = {.fd = append->descriptor, .events = POLLOUT};

    while (!append->is_file) {
        if (signals_quit_is_wanted())
            return false;
        int ready = ready_poll(&polled, 1, LOOK_MS);

        if (ready > 0 || (ready < 0 && errno != EINTR))
            break;
    }
    return true;
}

/* What another program does to the file while it grows. Emptied is as good as new where every piece
 * stands for itself. */
static bool is_still_ours(const struct append *append, struct problem *problem)
{
    struct stat about;

    if (!append->is_file || fstat(append->descriptor, &about) != 0)
        return true;
    if (append->has_name && about.st_nlink == 0)
        return problem_set(problem, "%.300s was removed, and all that was recorded with it",
                           append->path);
    if (about.st_size < append->end && (about.st_size > 0 || append->alone))
        return problem_set(problem,
                           "%.300s was cut short by another program; record into it again "
                           "to go on with what is left",
                           append->path);
    return true;
}

enum append_result append_piece(struct append *append, const char *bytes, size_t size,
                                struct problem *problem)
{
    off_t begun = append->is_file ? lseek(append->descriptor, 0, SEEK_END) : -1;
    size_t written = 0;

    if (!is_still_ours(append, problem))
        return APPEND_FAILED;
    while (written < size) {
        size_t left = size - written;

        if (!wait_for_room(append))
            return APPEND_CLOSED;
        left = append->is_file || left < PIPE_BUF ? left : PIPE_BUF;
        ssize_t count = write(append->descriptor, bytes + written, left);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return write_failed(append, begun, written, problem);
        written += (size_t)count;
    }
    append->end = begun + (off_t)written;
    return APPEND_OK;
}

bool append_close(struct append **closing, struct problem *problem)
{
    struct append *append = *closing;
    *closing = NULL;
    if (!append) {
        return true;
    }
    bool valid = true;
    if (append->is_file && fsync(append->descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) {
        valid = problem_set(problem, "cannot finish %.300s: %s", append->path, strerror(errno));
    }
    if (append->descriptor != STDOUT_FILENO) {
        close(append->descriptor);
    }
    free(append->path);
    free(append);
    return valid;
}

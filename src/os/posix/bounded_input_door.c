#include "os/bounded_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/ready_door.h"
#include "base/thread.h"

enum { PATH_SHOWN = 200 };

struct bounded_input {
    int descriptor;
    int64_t size; /* -1: none */
    struct problem name;
};

/* What may be read to its end: everything but folders, and devices other than our terminal. */
static bool is_readable(const struct stat *status, const struct bounded_input *input,
                        struct problem *problem)
{
    bool standard = input->descriptor == STDIN_FILENO;
    if (S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode) ||
        (standard && isatty(input->descriptor)))
        return true;
    return problem_set(problem, "%s is %s", input->name.text,
                       S_ISDIR(status->st_mode) ? "a folder" : "a device, which may have no end");
}

struct bounded_input *bounded_input_open(const char *path, struct problem *problem)
{
    struct bounded_input *input = memory_new(sizeof *input);
    struct stat status;
    bool standard = strcmp(path, "-") == 0;

    problem_set(&input->name, "%.*s", PATH_SHOWN, standard ? "standard input" : path);
    do
        input->descriptor =
            standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (input->descriptor < 0 && errno == EINTR);
    bool good = input->descriptor >= 0 && fstat(input->descriptor, &status) == 0;
    if (!good)
        problem_set(problem, "cannot read %s: %s", input->name.text, strerror(errno));
    if (good && is_readable(&status, input, problem)) {
        input->size = S_ISREG(status.st_mode) ? (int64_t)status.st_size : -1;
        return input;
    }
    bounded_input_close(&input);
    return NULL;
}

int64_t bounded_input_size(const struct bounded_input *input)
{
    return input->size;
}

bool bounded_input_seek(struct bounded_input *input, int64_t offset, struct problem *problem)
{
    if (lseek(input->descriptor, (off_t)offset, SEEK_SET) >= 0)
        return true;
    return problem_set(problem, "cannot read %s at %lld: %s", input->name.text, (long long)offset,
                       strerror(errno));
}

static int milliseconds_until(int64_t until_ns)
{
    int64_t left_ns = until_ns - thread_clock_ns();
    int64_t left = left_ns <= 0 ? 0 : (left_ns - 1) / 1000000 + 1;

    return left < 1000000 ? (int)left : 1000000;
}

/* True when a read() would bring something or say that nothing will come. */
static bool is_ready(const struct bounded_input *input, int64_t until_ns)
{
    struct pollfd polled = {.fd = input->descriptor, .events = POLLIN};
    int ready;

    do
        ready = ready_poll(&polled, 1, milliseconds_until(until_ns));
    while (ready < 0 && errno == EINTR);
    return ready != 0;
}

/* A named pipe that nobody has opened for writing reads as ended, while poll() waits for a writer:
 * so it is read first, and waited for when it says that bytes may come. */
enum bounded_input_result bounded_input_read(struct bounded_input *input, char *buffer, size_t size,
                                             int64_t until_ns, size_t *length,
                                             struct problem *problem)
{
    bool ready = input->descriptor != STDIN_FILENO;

    for (;;) {
        if (thread_clock_ns() >= until_ns || (!ready && !is_ready(input, until_ns)))
            return INPUT_LATE;
        ssize_t got = read(input->descriptor, buffer, size);
        bool later = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);

        *length = got > 0 ? (size_t)got : 0;
        if (got > 0)
            return INPUT_BYTES;
        if (got == 0)
            return INPUT_END;
        if (!later) {
            problem_set(problem, "cannot read %s: %s", input->name.text, strerror(errno));
            return INPUT_FAILED;
        }
        ready = false;
    }
}

void bounded_input_close(struct bounded_input **input)
{
    if (*input && (*input)->descriptor > STDIN_FILENO)
        close((*input)->descriptor);
    free(*input);
    *input = NULL;
}

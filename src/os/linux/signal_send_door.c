#include "os/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/number.h"
#include "reading/identity.h"

/* Field 22 of /proc/PID/stat: the start time in clock ticks after boot (proc(5)). The name in field
 * 2 may hold anything, so fields are counted from the last ')'. */
static bool parse_start_stamp(struct raw_text stat, uint64_t *stamp)
{
    struct raw_text word;

    while (stat.length && stat.bytes[stat.length - 1] != ')')
        stat.length--;
    if (stat.length == 0)
        return false;
    const char *rest = stat.bytes + stat.length;

    stat = (struct raw_text){rest, strlen(rest)};
    for (int field = 3; words_next(&stat, &word); field++)
        if (field == 22)
            return number_parse_u64(word, stamp, NULL);
    return false;
}

static bool read_start_stamp(int64_t pid, uint64_t *stamp)
{
    char path[64], content[4096];

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return false;
    ssize_t length = read(descriptor, content, sizeof content - 1);

    close(descriptor);
    if (length <= 0)
        return false;
    content[length] = '\0';
    return parse_start_stamp((struct raw_text){content, (size_t)length}, stamp);
}

static bool is_still(const struct identity *identity)
{
    uint64_t stamp;

    return read_start_stamp(identity->pid, &stamp) && stamp == identity->start_stamp;
}

/* A /proc of another pid namespace (mounted into a container, or left over by unshare(1)) shows
 * numbers that mean other processes to the kernel when we say them. */
static bool proc_is_ours(void)
{
    char target[32];
    ssize_t length = readlink("/proc/self", target, sizeof target - 1);
    int64_t pid;

    return length > 0 && number_parse_i64((struct raw_text){target, (size_t)length}, &pid, NULL) &&
           pid == getpid();
}

/* A pidfd names one process for good: what is found to be the right one after opening stays it.
 * Kernels before 5.3 and some sandboxes have none; there the check and the signal are two moments.
 */
int signals_send(const struct identity *identity, int number)
{
    if (identity->space != NAMESPACE_LOCAL || identity->pid <= 0 || identity->pid > INT32_MAX ||
        identity->start_stamp == IDENTITY_NO_STAMP)
        return EINVAL;
    if (!proc_is_ours())
        return ENOTSUP;
    pid_t pid = (pid_t)identity->pid;
    int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);

    if (descriptor < 0 && errno != ENOSYS && errno != EPERM)
        return errno;
    int error = 0;

    if (!is_still(identity))
        error = ESRCH;
    else if (descriptor >= 0 && syscall(SYS_pidfd_send_signal, descriptor, number, NULL, 0) != 0)
        error = errno;
    else if (descriptor < 0 && kill(pid, number) != 0)
        error = errno;
    if (descriptor >= 0)
        close(descriptor);
    return error;
}

#include "os/self_door.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The name is nicer for `ps`, but it may lead to another program by now: then the kernel's own
 * link, which always leads to the one that runs. A file that was replaced is shown as "NAME
 * (deleted)". */
bool self_program_path(char *path, size_t size)
{
    static const char link[] = "/proc/self/exe", deleted[] = " (deleted)";
    ssize_t length = readlink(link, path, size);
    size_t suffix = sizeof deleted - 1;

    if (length > 0 && (size_t)length < size) {
        path[length] = '\0';
        bool replaced =
            (size_t)length > suffix && strcmp(path + (size_t)length - suffix, deleted) == 0;

        if (!replaced && access(path, X_OK) == 0)
            return true;
    }
    return snprintf(path, size, "%s", link) < (int)size;
}

/* PR_SET_PDEATHSIG is of the thread that started us, and does nothing when that is gone already. */
bool self_die_with_parent(void)
{
    pid_t parent = getppid();

    return prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() == parent;
}

#include "os/child_kin_door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"

enum { STAT_SIZE = 1024 };
enum { ENVIRON_MAX = 2 << 20 }; /* more than a kernel lets a program start with */

/* The name in parentheses may hold anything, parentheses too. */
int64_t child_parent_of(int64_t pid)
{
    char path[64], stat[STAT_SIZE];
    long long parent = 0;

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return 0;
    ssize_t size = read(descriptor, stat, sizeof stat - 1);

    close(descriptor);
    stat[size > 0 ? size : 0] = '\0';
    const char *name_end = strrchr(stat, ')');

    if (!name_end || sscanf(name_end + 1, " %*c %lld", &parent) != 1)
        return 0;
    return parent;
}

char *child_environment_of(int64_t pid, size_t *size)
{
    char path[64];
    ssize_t got = 0;

    snprintf(path, sizeof path, "/proc/%lld/environ", (long long)pid);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    *size = 0;
    if (descriptor < 0)
        return NULL;
    char *environment = memory_new(ENVIRON_MAX);

    do {
        got = read(descriptor, environment + *size, ENVIRON_MAX - *size);
        *size += got > 0 ? (size_t)got : 0;
    } while ((got > 0 || (got < 0 && errno == EINTR)) && *size < ENVIRON_MAX);
    close(descriptor);
    return environment;
}

#include "os/root_door.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/number.h"

enum { PATH_SIZE = 4096 };

bool root_door_guards(void)
{
    return false;
}

bool root_door_refuses(const char *path)
{
    (void)path;
    return false;
}

uint64_t root_door_device(const struct stat *about)
{
    return (uint64_t)major(about->st_dev) << 32 | minor(about->st_dev);
}

bool root_door_modified_ns(const struct stat *about, int64_t *modified_ns)
{
    int64_t whole_ns;
    return number_multiply_i64(about->st_mtim.tv_sec, 1000000000, &whole_ns) &&
           number_add_i64(whole_ns, about->st_mtim.tv_nsec, modified_ns);
}

/* The name of an opened handle. O_PATH opens nothing of the device behind it. */
bool root_door_resolve(int top, const char *path, char *buffer, size_t size)
{
    int descriptor = openat(top, *path ? path : ".", O_PATH | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    char handle[64], target[PATH_SIZE];
    snprintf(handle, sizeof handle, "proc/self/fd/%d", descriptor);
    ssize_t got = readlinkat(top, handle, target, sizeof target);
    close(descriptor);
    if (got < 1 || got == (ssize_t)sizeof target || target[0] != '/' || (size_t)got > size)
        return false;
    memcpy(buffer, target + 1, (size_t)got - 1);
    buffer[got - 1] = '\0';
    return true;
}

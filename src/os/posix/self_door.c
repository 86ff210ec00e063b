#include "os/self_door.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

bool self_program_path(char *path, size_t size)
{
#ifdef __APPLE__
    uint32_t room = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;

    return _NSGetExecutablePath(path, &room) == 0;
#else
    ssize_t length = readlink("/proc/curproc/file", path, size);

    if (length <= 0 || (size_t)length >= size)
        return false;
    path[length] = '\0';
    return true;
#endif
}

bool self_die_with_parent(void)
{
    return true;
}

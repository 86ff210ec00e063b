#include "gpu/nvml/nvml_door.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)

bool nvml_file_of(const void *address, char *path, size_t size)
{
    (void)address;
    (void)path;
    (void)size;
    return false;
}

#else

#include <dlfcn.h>

bool nvml_file_of(const void *address, char *path, size_t size)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return false;
    char *resolved = realpath(info.dli_fname, NULL);
    bool fits = resolved != NULL && strlen(resolved) < size;
    if (fits)
        memcpy(path, resolved, strlen(resolved) + 1);
    free(resolved);
    return fits;
}

#endif

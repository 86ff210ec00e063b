#include "gpu/nvml/nvml_door.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/helper/candidates.h"

const char nvml_file_name[] = "libnvidia-ml.so.1";
const bool nvml_has_nodes = true;

static const char *const places[] = {
#define PLACE(path) path,
#include "gpu/nvml/places.def"
#undef PLACE
    NULL};

bool nvml_place(size_t number, char *path, size_t size)
{
    if (number >= sizeof places / sizeof *places || !places[number])
        return false;
    snprintf(path, size, "%s", places[number]);
    return true;
}

bool nvml_is_installed(const struct root *root)
{
    return candidates_exist(root, nvml_file_name, places);
}

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

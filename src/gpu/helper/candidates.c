#include "gpu/helper/candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "os/library.h"

enum { PATH_SIZE = 1024 };

/* The folders that the loader searches by itself. */
static const char *const loader_folders[] = {"usr/lib/x86_64-linux-gnu",
                                             "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib",
                                             "usr/local/lib"};

const char *candidates_named(const char *variable)
{
    const char *name = getenv(variable);
    return name != NULL && name[0] != '\0' ? name : NULL;
}

bool candidates_can_open(const char *name)
{
    return strpbrk(name, "/\\") == NULL || library_is_there(name);
}

/* The folders that the user tells the loader to search. */
static bool is_in_library_path(const char *file)
{
    const char *folders = getenv("LD_LIBRARY_PATH");
    struct raw_text rest = raw_from_string(folders != NULL ? folders : ""), folder;
    while (fields_next(&rest, ':', &folder)) {
        char path[PATH_SIZE];
        int length = snprintf(path, sizeof path, "%.*s/%s", (int)folder.length, folder.bytes, file);
        if (folder.length > 0 && length > 0 && length < (int)sizeof path && library_is_there(path))
            return true;
    }
    return false;
}

bool candidates_exist(const struct root *root, const char *file, const char *const *places)
{
    char path[PATH_SIZE];
    if (root == NULL)
        return false;
    if (is_in_library_path(file))
        return true;
    for (size_t i = 0; i < sizeof loader_folders / sizeof loader_folders[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", loader_folders[i], file);
        if (root_exists(root, path))
            return true;
    }
    for (const char *const *place = places; *place != NULL; place++)
        if ((*place)[0] == '/' && root_exists(root, *place + 1))
            return true;
    return false;
}

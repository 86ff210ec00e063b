#include "os/macos/protected_path.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* In place of a component: any one. */
#define ANY "*"

static const char *const folders[][4] = {
    {"System"},
    {"usr", "lib"},
    {"Volumes"},
    {"Network"},
    {"net"},
    {"private", "var", "containers"},
    {"Users", ANY, "Library", "Containers"},
    {"Users", ANY, "Library", "Group Containers"},
    {"Users", ANY, "Library", "Mobile Documents"},
    {"Users", ANY, "Library", "CloudStorage"},
    {"Users", ANY, "Desktop"},
    {"Users", ANY, "Documents"},
    {"Users", ANY, "Downloads"},
};

/* The next component of a path; false at its end. */
static bool next(const char **path, const char **name, size_t *length)
{
    *path += strspn(*path, "/");
    *name = *path;
    *length = strcspn(*path, "/");
    *path += *length;
    return *length > 0;
}

static bool is_below(const char *path, const char *const folder[4])
{
    const char *name;
    size_t length;
    for (size_t i = 0; i < 4 && folder[i]; i++) {
        if (!next(&path, &name, &length))
            return false;
        if (strcmp(folder[i], ANY) != 0 &&
            (length != strlen(folder[i]) || strncasecmp(name, folder[i], length) != 0))
            return false;
    }
    return true;
}

bool macos_path_is_below(const char *path, const char *folder)
{
    const char *name, *wanted;
    size_t length, wanted_length;
    bool any = false;
    while (next(&folder, &wanted, &wanted_length)) {
        if (!next(&path, &name, &length) || length != wanted_length ||
            strncasecmp(name, wanted, length) != 0)
            return false;
        any = true;
    }
    return any;
}

bool macos_path_is_protected(const char *path)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (is_below(path, folders[i]))
            return true;
    return false;
}

#include "os/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"

struct library {
    void *handle;
};

bool library_is_there(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, R_OK) == 0;
}

bool library_of_system_is_there(const char *name)
{
    (void)name;
    return false;
}

struct library *library_open(const char *path, struct problem *problem)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        const char *words = dlerror();

        problem_set(problem, "cannot load %s: %s", path, words ? words : "unknown error");
        return NULL;
    }
    struct library *library = memory_new(sizeof *library);

    library->handle = handle;
    return library;
}

void library_close(struct library **library)
{
    if (!*library)
        return;
    dlclose((*library)->handle);
    free(*library);
    *library = NULL;
}

void *library_symbol(struct library *library, const char *name)
{
    return dlsym(library->handle, name);
}

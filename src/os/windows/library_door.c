#include "os/library.h"

#include <stdlib.h>
#include <windows.h>

#include "base/fatal.h"

struct library {
    HMODULE handle;
};

bool library_is_there(const char *path)
{
    wchar_t wide[MAX_PATH];

    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, MAX_PATH))
        return false;
    DWORD about = GetFileAttributesW(wide);

    return about != INVALID_FILE_ATTRIBUTES && !(about & FILE_ATTRIBUTE_DIRECTORY);
}

/* From System32 only: a library of that name in the current folder or on PATH could be anybody's.
 */
struct library *library_open(const char *path, struct problem *problem)
{
    wchar_t wide[MAX_PATH];

    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, MAX_PATH)) {
        problem_set(problem, "cannot load %s: no such name", path);
        return NULL;
    }
    HMODULE handle = LoadLibraryExW(wide, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);

    if (!handle) {
        problem_set(problem, "cannot load %s: Windows error %lu", path, GetLastError());
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
    FreeLibrary((*library)->handle);
    free(*library);
    *library = NULL;
}

void *library_symbol(struct library *library, const char *name)
{
    return (void *)GetProcAddress(library->handle, name);
}

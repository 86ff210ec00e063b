#include "os/library.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "base/fatal.h"

enum { PATH_SIZE = 1024 };

struct library {
    HMODULE handle;
};

static bool is_file(const wchar_t *path)
{
    DWORD about = GetFileAttributesW(path);

    return about != INVALID_FILE_ATTRIBUTES && !(about & FILE_ATTRIBUTE_DIRECTORY);
}

/* Of a name with folders in it the whole path, as the loader wants it; a bare name stays one. */
static bool widen(const char *path, wchar_t wide[PATH_SIZE])
{
    wchar_t given[PATH_SIZE];

    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, PATH_SIZE))
        return false;
    if (!wcspbrk(given, L"/\\")) {
        wcscpy(wide, given);
        return true;
    }
    DWORD length = GetFullPathNameW(given, PATH_SIZE, wide, NULL);

    return length > 0 && length < PATH_SIZE;
}

bool library_is_there(const char *path)
{
    wchar_t wide[PATH_SIZE];

    return widen(path, wide) && is_file(wide);
}

bool library_of_system_is_there(const char *name)
{
    wchar_t wide[PATH_SIZE];
    UINT length = GetSystemDirectoryW(wide, PATH_SIZE);

    if (length == 0 || length + strlen(name) + 2 > PATH_SIZE)
        return false;
    wide[length] = L'\\';
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide + length + 1,
                               (int)(PATH_SIZE - length - 1)) > 0 &&
           is_file(wide);
}

/* From System32 only: a library of that name in the current folder or on PATH could be anybody's.
 */
struct library *library_open(const char *path, struct problem *problem)
{
    wchar_t wide[PATH_SIZE];

    if (!widen(path, wide)) {
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

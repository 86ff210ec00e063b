#include "gpu/nvml/nvml_door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "os/library.h"

const char nvml_file_name[] = "nvml.dll";
const bool nvml_has_nodes = false;

enum { FOLDER_SIZE = 200, PLACE_COUNT = 2 };

/* Where drivers before DCH put it: Program Files itself, also for a 32-bit caller. */
static bool old_place(char *path, size_t size)
{
    wchar_t folder[FOLDER_SIZE];
    char utf8[3 * FOLDER_SIZE];
    DWORD length = GetEnvironmentVariableW(L"ProgramW6432", folder, FOLDER_SIZE);
    if (length == 0 || length >= FOLDER_SIZE ||
        WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, folder, -1, utf8, sizeof utf8, NULL,
                            NULL) <= 0)
        return false;
    int written = snprintf(path, size, "%s\\NVIDIA Corporation\\NVSMI\\%s", utf8, nvml_file_name);
    return written > 0 && (size_t)written < size;
}

bool nvml_place(size_t number, char *path, size_t size)
{
    if (number == 0)
        snprintf(path, size, "%s", nvml_file_name);
    return number == 0 || (number < PLACE_COUNT && old_place(path, size));
}

bool nvml_is_installed(const struct root *root)
{
    char path[4 * FOLDER_SIZE];
    (void)root;
    return library_of_system_is_there(nvml_file_name) ||
           (old_place(path, sizeof path) && library_is_there(path));
}

bool nvml_file_of(const void *address, char *path, size_t size)
{
    HMODULE module;
    wchar_t wide[1024];
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (LPCWSTR)address, &module))
        return false;
    DWORD length = GetModuleFileNameW(module, wide, 1024);
    return length > 0 && length < 1024 &&
           WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, path, (int)size, NULL,
                               NULL) > 0;
}

#include "os/self_door.h"

#include <windows.h>

bool self_program_path(char *path, size_t size)
{
    wchar_t wide[1024];
    DWORD length = GetModuleFileNameW(NULL, wide, sizeof wide / sizeof wide[0]);

    if (length == 0 || length >= sizeof wide / sizeof wide[0])
        return false;
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, size > 0x7FFF ? 0x7FFF : (int)size, NULL,
                               NULL) > 0;
}

/* A helper is in its parent's job, which ends with the parent (helper_door.c). */
bool self_die_with_parent(void)
{
    return true;
}

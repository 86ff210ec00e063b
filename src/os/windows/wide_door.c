#include "os/windows/wide.h"

#include <windows.h>

#include "base/fatal.h"

enum { UNITS_MAX = 1 << 20 };

struct raw_text wide_to_utf8(struct arena *arena, const wchar_t *units, size_t count)
{
    if (!units || count == 0 || count > UNITS_MAX)
        return (struct raw_text){NULL, 0};
    int size = WideCharToMultiByte(CP_UTF8, 0, units, (int)count, NULL, 0, NULL, NULL);
    if (size <= 0)
        return (struct raw_text){NULL, 0};
    char *bytes = arena_alloc(arena, (size_t)size + 1);
    WideCharToMultiByte(CP_UTF8, 0, units, (int)count, bytes, size, NULL, NULL);
    return (struct raw_text){bytes, (size_t)size};
}

wchar_t *wide_of_utf8(const char *utf8)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, utf8, -1, NULL, 0);
    if (length <= 0)
        return NULL;
    wchar_t *wide = memory_new((size_t)length * sizeof *wide);
    MultiByteToWideChar(CP_UTF8, 0, utf8, -1, wide, length);
    return wide;
}

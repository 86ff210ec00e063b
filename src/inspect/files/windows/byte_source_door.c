#include "inspect/files/byte_source_door.h"

#include <stdlib.h>
#include <windows.h>

#include "base/fatal.h"

/* UTF-8 to UTF-16; NULL when it is no UTF-8. The caller frees it. */
static wchar_t *wide_path(const char *path)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    if (length <= 0) {
        return NULL;
    }
    wchar_t *wide = memory_new((size_t)length * sizeof *wide);
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, length);
    return wide;
}

bool byte_source_door_open(const char *path, struct byte_source *source, struct problem *problem)
{
    wchar_t *wide = wide_path(path);
    /* A runtime may be deleting or replacing the file: sharing everything stands in nobody's way.
     */
    HANDLE file = wide ? CreateFileW(wide, GENERIC_READ,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                     OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL)
                       : INVALID_HANDLE_VALUE;
    unsigned long error = GetLastError();
    free(wide);
    if (file == INVALID_HANDLE_VALUE) {
        return problem_set(problem, "cannot read %s: Windows error %lu", path, error);
    }
    LARGE_INTEGER size;
    if (GetFileType(file) != FILE_TYPE_DISK || !GetFileSizeEx(file, &size)) {
        CloseHandle(file);
        return problem_set(problem, "%s is no regular file", path);
    }
    *source = (struct byte_source){.size = size.QuadPart, .handle = (intptr_t)file};
    return true;
}

bool byte_source_door_read(const struct byte_source *source, int64_t offset, void *buffer,
                           size_t length)
{
    char *at = buffer;
    while (length > 0) {
        OVERLAPPED where = {.Offset = (DWORD)((uint64_t)offset & 0xffffffff),
                            .OffsetHigh = (DWORD)((uint64_t)offset >> 32)};
        DWORD part = length > 0x1000000 ? 0x1000000 : (DWORD)length, got = 0;
        if (!ReadFile((HANDLE)source->handle, at, part, &got, &where) || got == 0) {
            return false;
        }
        at += got;
        offset += got;
        length -= got;
    }
    return true;
}

void byte_source_door_close(struct byte_source *source)
{
    CloseHandle((HANDLE)source->handle);
}

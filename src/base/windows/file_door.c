#include "base/file_door.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <windows.h>

#include "base/fatal.h"
#include "base/file.h"

enum { PATH_EXTRA = 32 };

/* UTF-8 to UTF-16, with room for a suffix; NULL when it is no UTF-8. The caller frees it. */
static wchar_t *wide_path(const char *path)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);

    if (length <= 0)
        return NULL;
    wchar_t *wide = memory_new(((size_t)length + PATH_EXTRA) * sizeof *wide);

    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, length);
    return wide;
}

FILE *file_door_open(const char *path)
{
    wchar_t *wide = wide_path(path);

    if (!wide) {
        errno = ENOENT;
        return NULL;
    }
    FILE *file = _wfopen(wide, L"rbN");

    free(wide);
    return file;
}

/* A user's own folders are closed to others by Windows itself. */
FILE *file_door_open_private(const char *path)
{
    return file_door_open(path);
}

int64_t file_door_size(FILE *file)
{
    struct _stat64 about;

    return _fstat64(_fileno(file), &about) == 0 && (about.st_mode & _S_IFREG) ? about.st_size : -1;
}

int64_t file_door_changed_ns(FILE *file)
{
    struct _stat64 about;

    return _fstat64(_fileno(file), &about) == 0 ? (int64_t)about.st_mtime * 1000000000 : 0;
}

bool file_door_seek(FILE *file, int64_t offset)
{
    return _fseeki64(file, offset, SEEK_SET) == 0;
}

static bool write_all(HANDLE file, struct raw_text content)
{
    while (content.length) {
        DWORD part = content.length > 0x40000000 ? 0x40000000 : (DWORD)content.length;
        DWORD written = 0;

        if (!WriteFile(file, content.bytes, part, &written, NULL))
            return false;
        content.bytes += written;
        content.length -= written;
    }
    return FlushFileBuffers(file);
}

static bool write_beside(const wchar_t *path, wchar_t *beside, struct raw_text content)
{
    swprintf(beside + wcslen(beside), PATH_EXTRA, L".new-%lu", GetCurrentProcessId());
    HANDLE file =
        CreateFileW(beside, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);

    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool written = write_all(file, content);

    CloseHandle(file);
    written =
        written && MoveFileExW(beside, path, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    if (!written)
        DeleteFileW(beside);
    return written;
}

bool file_write_atomically(const char *path, struct raw_text content, struct problem *problem)
{
    wchar_t *wide = wide_path(path), *beside = wide_path(path);
    bool written = wide && beside && write_beside(wide, beside, content);
    unsigned long error = GetLastError();

    free(wide);
    free(beside);
    return written || problem_set(problem, "cannot write %s: Windows error %lu", path, error);
}

bool file_write_private(const char *path, struct raw_text content, struct problem *problem)
{
    return file_write_atomically(path, content, problem);
}

bool file_exists(const char *path)
{
    wchar_t *wide = wide_path(path);
    bool exists = wide && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;

    free(wide);
    return exists;
}

int64_t file_size(const char *path)
{
    WIN32_FILE_ATTRIBUTE_DATA about;
    wchar_t *wide = wide_path(path);
    bool found = wide && GetFileAttributesExW(wide, GetFileExInfoStandard, &about) &&
                 (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;

    free(wide);
    return found ? (int64_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow) : -1;
}

bool file_make_folder(const char *path, struct problem *problem)
{
    wchar_t *wide = wide_path(path);
    bool made = wide != NULL;

    for (wchar_t *at = wide; made && *at; at++) {
        wchar_t next = at[1];

        /* Not the drive itself. */
        if (at > wide && *at != L':' && (next == L'\\' || next == L'/' || next == L'\0')) {
            at[1] = L'\0';
            made = CreateDirectoryW(wide, NULL) || GetLastError() == ERROR_ALREADY_EXISTS;
            at[1] = next;
        }
    }
    unsigned long error = GetLastError();

    free(wide);
    return made ||
           problem_set(problem, "cannot make the folder %s: Windows error %lu", path, error);
}

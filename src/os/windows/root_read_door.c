#include "os/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/arena.h"
#include "base/vector.h"
#include "os/root_lines.h"
#include "os/windows/file_handle_door.h"
#include "os/windows/wide.h"

enum { FIRST_CHUNK = 4096 };

static HANDLE open_file(const struct root *root, const char *path, int *error)
{
    HANDLE file = root_handle(root, path, GENERIC_READ, 0, error);
    if (file != INVALID_HANDLE_VALUE && GetFileType(file) != FILE_TYPE_DISK) {
        CloseHandle(file);
        *error = EINVAL;
        return INVALID_HANDLE_VALUE;
    }
    return file;
}

/* Reads until the end or until `size` bytes are there. */
static bool read_some(HANDLE file, char *buffer, size_t size, size_t *filled, int *error)
{
    *filled = 0;
    while (*filled < size) {
        DWORD part = size - *filled > 1 << 20 ? 1 << 20 : (DWORD)(size - *filled), got = 0;
        if (!ReadFile(file, buffer + *filled, part, &got, NULL)) {
            *error = errno_of_windows(GetLastError());
            return false;
        }
        if (got == 0)
            break;
        *filled += got;
    }
    return true;
}

static bool has_more(HANDLE file)
{
    char more;
    size_t got;
    int ignored;
    return read_some(file, &more, 1, &got, &ignored) && got == 1;
}

static enum root_result finish(int failure, int *error)
{
    if (error)
        *error = failure;
    return root_result_of(failure);
}

enum root_result root_read(const struct root *root, const char *path, char *buffer, size_t size,
                           size_t *length, int *error)
{
    int failure = 0;
    *length = 0;
    HANDLE file = open_file(root, path, &failure);
    if (file == INVALID_HANDLE_VALUE)
        return finish(failure, error);
    bool read = read_some(file, buffer, size, length, &failure);
    bool truncated = read && *length == size && has_more(file);
    CloseHandle(file);
    if (!read)
        *length = 0;
    enum root_result result = finish(failure, error);
    return result == ROOT_OK && truncated ? ROOT_TRUNCATED : result;
}

enum root_result root_read_arena(const struct root *root, struct arena *arena, const char *path,
                                 size_t limit, struct raw_text *content, int *error)
{
    int failure = 0;
    *content = (struct raw_text){NULL, 0};
    HANDLE file = open_file(root, path, &failure);
    if (file == INVALID_HANDLE_VALUE)
        return finish(failure, error);
    char *bytes = NULL;
    size_t room = FIRST_CHUNK < limit ? FIRST_CHUNK : limit, capacity = 0, filled = 0, got = 0;
    bool truncated = false;
    for (;;) {
        bytes = vector_reserve(bytes, &capacity, room > 0 ? room : 1, 1);
        if (!read_some(file, bytes + filled, room - filled, &got, &failure))
            break;
        filled += got;
        if (filled < room)
            break;
        if (room == limit) {
            truncated = has_more(file);
            break;
        }
        room = room < limit / 4 ? room * 4 : limit;
    }
    CloseHandle(file);
    if (!failure)
        *content = (struct raw_text){arena_string(arena, bytes, filled), filled};
    free(bytes);
    enum root_result result = finish(failure, error);
    return result == ROOT_OK && truncated ? ROOT_TRUNCATED : result;
}

enum root_result root_each_line(const struct root *root, const char *path, size_t limit,
                                bool (*each)(struct raw_text line, void *context), void *context,
                                int *error)
{
    int failure = 0;
    HANDLE file = open_file(root, path, &failure);
    if (file == INVALID_HANDLE_VALUE)
        return finish(failure, error);
    char buffer[ROOT_LINE_SIZE];
    size_t filled = 0, total = 0, got;
    bool go_on = true, at_end = false;
    while (go_on && !at_end && total < limit) {
        size_t room = sizeof buffer - filled;
        if (room > limit - total)
            room = limit - total;
        if (!read_some(file, buffer + filled, room, &got, &failure))
            break;
        at_end = got < room;
        filled += got;
        total += got;
        filled = root_give_lines(buffer, filled, at_end, each, context, &go_on);
    }
    CloseHandle(file);
    enum root_result result = finish(failure, error);
    return result == ROOT_OK && go_on && !at_end ? ROOT_TRUNCATED : result;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
    char **items;
    size_t count, capacity;
};

/* One answer of the file system after the other, until it has no more. */
static int read_names(HANDLE folder, struct arena *arena, size_t limit, struct names *found,
                      bool *truncated)
{
    _Alignas(FILE_ID_BOTH_DIR_INFO) unsigned char answer[16 * 1024];
    while (GetFileInformationByHandleEx(folder, FileIdBothDirectoryInfo, answer, sizeof answer)) {
        const unsigned char *at = answer;
        for (;;) {
            const FILE_ID_BOTH_DIR_INFO *entry = (const void *)at;
            struct raw_text name =
                wide_to_utf8(arena, entry->FileName, entry->FileNameLength / sizeof(wchar_t));
            bool is_name = !raw_equal_string(name, ".") && !raw_equal_string(name, "..");
            *truncated = is_name && found->count == limit;
            if (*truncated)
                return 0;
            if (is_name)
                VECTOR_PUSH(found, (char *)name.bytes);
            if (entry->NextEntryOffset == 0)
                break;
            at += entry->NextEntryOffset;
        }
    }
    DWORD error = GetLastError();
    return error == ERROR_NO_MORE_FILES ? 0 : errno_of_windows(error);
}

enum root_result root_list(const struct root *root, struct arena *arena, const char *path,
                           size_t limit, char ***names, size_t *count)
{
    struct names found = {0};
    bool truncated = false;
    int failure = 0;
    *names = NULL;
    *count = 0;
    HANDLE folder = root_handle(root, path, FILE_LIST_DIRECTORY, 0, &failure);
    if (folder == INVALID_HANDLE_VALUE)
        return root_result_of(failure);
    failure = read_names(folder, arena, limit, &found, &truncated);
    CloseHandle(folder);
    if (found.count > 0) {
        qsort(found.items, found.count, sizeof *found.items, compare_names);
        *names = ARENA_ARRAY(arena, char *, found.count);
        memcpy(*names, found.items, found.count * sizeof *found.items);
        *count = found.count;
    }
    VECTOR_FREE(&found);
    if (failure)
        return root_result_of(failure);
    return truncated ? ROOT_TRUNCATED : ROOT_OK;
}

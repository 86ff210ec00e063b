/* A file tree on Windows. The real machine's is "/": its paths begin with a drive, "C:/Users/ann".
 * Shares of other machines are not opened: a path may come from anybody's command line, and whoever
 * owns the server named in it would be sent our credentials. A recorded tree is a folder. */
#include "os/root.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/fatal.h"
#include "os/windows/file_handle_door.h"
#include "os/windows/path_name.h"
#include "os/windows/wide.h"

enum { PATH_BYTES = 4096 + 64 };

/* winnt.h has these only for drivers. */
struct link_data {
    ULONG tag;
    USHORT length, reserved;
    USHORT target_offset, target_length, shown_offset, shown_length; /* bytes */
    ULONG flags;
};

struct root {
    char *top; /* absolute; NULL: the drives */
    uint64_t generation;
};

static char *absolute_of(const char *path)
{
    wchar_t *wide = wide_of_utf8(path), full[PATH_BYTES];
    DWORD length = wide ? GetFullPathNameW(wide, PATH_BYTES, full, NULL) : 0;
    DWORD about = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    char *top = NULL;
    free(wide);
    if (length > 0 && length < PATH_BYTES && about != INVALID_FILE_ATTRIBUTES &&
        (about & FILE_ATTRIBUTE_DIRECTORY)) {
        top = memory_new(PATH_BYTES);
        if (WideCharToMultiByte(CP_UTF8, 0, full, -1, top, PATH_BYTES, NULL, NULL) == 0)
            top[0] = '\0';
    }
    errno = top ? 0 : ENOENT;
    return top;
}

struct root *root_open(const char *path)
{
    bool is_real = strcmp(path, "/") == 0;
    char *top = is_real ? NULL : absolute_of(path);
    if (!is_real && !top)
        return NULL;
    struct root *root = memory_new(sizeof *root);
    root->top = top;
    return root;
}

void root_close(struct root **root)
{
    if (!*root)
        return;
    free((*root)->top);
    free(*root);
    *root = NULL;
}

int root_descriptor(const struct root *root)
{
    (void)root;
    return -1;
}

bool root_is_recorded(const struct root *root)
{
    return root->top != NULL;
}

bool root_move(struct root *root, const char *path)
{
    char *top = absolute_of(path);
    if (!top)
        return false;
    free(root->top);
    root->top = top;
    root->generation++;
    return true;
}

uint64_t root_generation(const struct root *root)
{
    return root->generation;
}

enum root_result root_result_of(int error)
{
    switch (error) {
    case 0:
        return ROOT_OK;
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
        return ROOT_ABSENT;
    case EACCES:
    case EPERM:
        return ROOT_DENIED;
    default:
        return ROOT_FAILED;
    }
}

int errno_of_windows(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_DIRECTORY:
    case ERROR_NO_MORE_FILES:
    case ERROR_NOT_READY:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
        return EACCES;
    default:
        return EIO;
    }
}

/* The path for Windows; NULL with an errno. The caller frees it. */
static wchar_t *place(const struct root *root, const char *path, int *error)
{
    char joined[2 * PATH_BYTES], spelled[2 * PATH_BYTES];
    int length = root->top ? snprintf(joined, sizeof joined, "%s/%s", root->top, path)
                           : snprintf(joined, sizeof joined, "%s", path);
    wchar_t *wide = NULL;
    /* A drive without a disk is an error, and no window that asks for one. */
    SetThreadErrorMode(SEM_FAILCRITICALERRORS, NULL);
    if (length > 0 && length < (int)sizeof joined &&
        windows_path_long(joined, spelled, sizeof spelled))
        wide = wide_of_utf8(spelled);
    *error = wide ? 0 : ENOENT;
    return wide;
}

HANDLE root_handle(const struct root *root, const char *path, DWORD access, DWORD more_flags,
                   int *error)
{
    int failure;
    wchar_t *wide = place(root, path, &failure);
    HANDLE file = INVALID_HANDLE_VALUE;
    if (wide) {
        file = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                           NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | more_flags, NULL);
        if (file == INVALID_HANDLE_VALUE)
            failure = errno_of_windows(GetLastError());
        free(wide);
    }
    if (error)
        *error = failure;
    return file;
}

int root_open_descriptor(const struct root *root, const char *path, int flags, int *error)
{
    if (flags & (_O_WRONLY | _O_RDWR)) {
        if (error)
            *error = EACCES;
        return -1;
    }
    HANDLE file = root_handle(root, path, GENERIC_READ, 0, error);
    return file == INVALID_HANDLE_VALUE ? -1
                                        : _open_osfhandle((intptr_t)file, _O_RDONLY | _O_BINARY);
}

static bool parse_link(const unsigned char *bytes, DWORD size, char *buffer, size_t room,
                       size_t *length)
{
    struct link_data link;
    wchar_t wide[PATH_BYTES];
    if (size < sizeof link)
        return false;
    memcpy(&link, bytes, sizeof link);
    size_t start = link.tag == IO_REPARSE_TAG_SYMLINK ? sizeof link : sizeof link - sizeof(ULONG);
    bool shown = link.shown_length > 0;
    size_t from = start + (shown ? link.shown_offset : link.target_offset);
    size_t bytes_length = shown ? link.shown_length : link.target_length;
    if ((link.tag != IO_REPARSE_TAG_SYMLINK && link.tag != IO_REPARSE_TAG_MOUNT_POINT) ||
        from > size || bytes_length > size - from || bytes_length >= sizeof wide)
        return false;
    memcpy(wide, bytes + from, bytes_length);
    int units = (int)(bytes_length / sizeof *wide), got = 0;
    if (units > 0)
        got = WideCharToMultiByte(CP_UTF8, 0, wide, units, buffer, (int)room - 1, NULL, NULL);
    buffer[got > 0 ? got : 0] = '\0';
    *length = got > 0 ? (size_t)got : 0;
    return got > 0;
}

enum root_result root_read_link(const struct root *root, const char *path, char *buffer,
                                size_t size, size_t *length)
{
    unsigned char bytes[MAXIMUM_REPARSE_DATA_BUFFER_SIZE];
    int error;
    DWORD got = 0;
    *length = 0;
    if (size == 0)
        return ROOT_FAILED;
    buffer[0] = '\0';
    HANDLE file =
        root_handle(root, path, FILE_READ_ATTRIBUTES, FILE_FLAG_OPEN_REPARSE_POINT, &error);
    if (file == INVALID_HANDLE_VALUE)
        return root_result_of(error);
    bool read =
        DeviceIoControl(file, FSCTL_GET_REPARSE_POINT, NULL, 0, bytes, sizeof bytes, &got, NULL) &&
        parse_link(bytes, got, buffer, size, length);
    CloseHandle(file);
    return read ? ROOT_OK : ROOT_FAILED;
}

bool root_exists(const struct root *root, const char *path)
{
    int error;
    wchar_t *wide = place(root, path, &error);
    bool exists = wide && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
    free(wide);
    return exists;
}

bool file_handle_id(HANDLE file, uint64_t *device, uint64_t *inode)
{
    FILE_ID_INFO id;
    BY_HANDLE_FILE_INFORMATION about;
    if (GetFileInformationByHandleEx(file, FileIdInfo, &id, sizeof id)) {
        uint64_t halves[2];
        memcpy(halves, &id.FileId, sizeof halves);
        *device = id.VolumeSerialNumber;
        *inode = halves[0] ^ halves[1];
    } else if (GetFileInformationByHandle(file, &about)) {
        *device = about.dwVolumeSerialNumber;
        *inode = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    } else {
        return false;
    }
    return *inode != 0;
}

static int64_t filetime_ns(FILETIME time)
{
    /* 100 ns since 1601 */
    static const int64_t epoch = 116444736000000000;
    int64_t steps = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) - epoch;
    return steps > INT64_MIN / 100 && steps < INT64_MAX / 100 ? steps * 100 : 0;
}

/* A file that its owner's cloud keeps would be fetched by looking into it. */
static bool is_away(DWORD attributes)
{
    enum { RECALL_ON_OPEN = 0x40000, RECALL_ON_DATA_ACCESS = 0x400000 };
    return (attributes & (RECALL_ON_OPEN | RECALL_ON_DATA_ACCESS | FILE_ATTRIBUTE_OFFLINE)) != 0;
}

bool root_file_facts(const struct root *root, const char *path, struct root_file_facts *facts)
{
    BY_HANDLE_FILE_INFORMATION about;
    HANDLE file = root_handle(root, path, FILE_READ_ATTRIBUTES, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool known =
        GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &about) != 0;
    if (known) {
        bool is_folder = (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
        *facts = (struct root_file_facts){
            .size_bytes = (int64_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow),
            .modified_ns = filetime_ns(about.ftLastWriteTime),
            .regular = !is_folder && !is_away(about.dwFileAttributes),
            .directory = is_folder,
        };
        file_handle_id(file, &facts->device, &facts->inode);
    }
    CloseHandle(file);
    return known;
}

bool root_modified_ns(const struct root *root, const char *path, int64_t *modified_ns)
{
    struct root_file_facts facts;
    if (!root_file_facts(root, path, &facts))
        return false;
    *modified_ns = facts.modified_ns;
    return true;
}

bool root_resolve(const struct root *root, const char *path, char *buffer, size_t size)
{
    static const char prefix[] = "\\\\?\\";
    wchar_t wide[PATH_BYTES];
    char full[PATH_BYTES];
    HANDLE file = root_handle(root, path, FILE_READ_ATTRIBUTES, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    DWORD length = GetFinalPathNameByHandleW(file, wide, PATH_BYTES, FILE_NAME_NORMALIZED);
    CloseHandle(file);
    if (length == 0 || length >= PATH_BYTES ||
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, full, sizeof full, NULL, NULL) == 0)
        return false;
    const char *shown = strncmp(full, prefix, 4) == 0 ? full + 4 : full;
    size_t top = root->top ? strlen(root->top) : 0;
    if (root->top && strncmp(shown, root->top, top) != 0)
        return false;
    shown += top + (top > 0 && shown[top] == '\\' ? 1 : 0);
    if (strlen(shown) >= size)
        return false;
    memcpy(buffer, shown, strlen(shown) + 1);
    return true;
}

#include "base/fatal.h"
#include "os/windows/process_files_door.h"

#include <stdlib.h>
#include <tlhelp32.h>
#include <winternl.h>

/* psapi.h, in the names that kernel32 itself has. */
#define PSAPI_VERSION 2
#include <psapi.h>

#include "os/windows/file_handle_door.h"
#include "os/windows/path_name.h"
#include "os/windows/wide.h"

enum {
    MODULES_MAX = 2048,
    REGIONS_MAX = 131072,
    NAMES_MAX = 256, /* asked for at most: each is a system call */
    TRIES = 4,
    PATH_UNITS = 32768,
    DEVICE_SIZE = 512,
    DRIVES = 26,
};

struct reader {
    HANDLE process;
    struct arena *arena;
    struct mapped_file *files;
    size_t count;
    bool cut;
    wchar_t *path; /* PATH_UNITS */
    struct drive_device drives[DRIVES];
    char devices[DRIVES][DEVICE_SIZE];
    size_t drive_count;
};

static void read_drives(struct reader *reader)
{
    DWORD present = GetLogicalDrives();
    for (int i = 0; i < DRIVES; i++) {
        const wchar_t name[] = {(wchar_t)(L'A' + i), L':', L'\0'};
        wchar_t device[DEVICE_SIZE];
        if (!(present & (DWORD)1 << i) || !QueryDosDeviceW(name, device, DEVICE_SIZE) ||
            WideCharToMultiByte(CP_UTF8, 0, device, -1, reader->devices[i], DEVICE_SIZE, NULL,
                                NULL) <= 0)
            continue;
        reader->drives[reader->drive_count++] =
            (struct drive_device){(char)('A' + i), reader->devices[i]};
    }
}

static struct mapped_file *add(struct reader *reader, struct mapped_file file)
{
    reader->cut |= reader->count == PROCESS_FILES_MAX;
    if (reader->cut)
        return NULL;
    reader->files[reader->count] = file;
    return &reader->files[reader->count++];
}

static void add_module(struct reader *reader, const wchar_t *path, size_t length)
{
    struct raw_text name = wide_to_utf8(reader->arena, path, length);
    if (raw_equal_string((struct raw_text){name.bytes, name.length < 4 ? 0 : 4}, "\\??\\"))
        name = (struct raw_text){name.bytes + 4, name.length - 4};
    add(reader, (struct mapped_file){.path = name, .executable = true});
}

/* A process that is starting or ending answers ERROR_PARTIAL_COPY: once more, soon. */
static bool list_modules(struct reader *reader)
{
    HMODULE *modules = memory_new(MODULES_MAX * sizeof *modules);
    DWORD bytes = 0;
    bool listed = false;
    for (int i = 0; i < TRIES && !listed; i++) {
        listed = K32EnumProcessModulesEx(reader->process, modules, MODULES_MAX * sizeof *modules,
                                         &bytes, LIST_MODULES_ALL) != 0;
        if (!listed && GetLastError() != ERROR_PARTIAL_COPY)
            break;
        if (!listed)
            Sleep(1);
    }
    size_t count = listed ? bytes / sizeof *modules : 0;
    reader->cut |= count > MODULES_MAX;
    for (size_t i = 0; i < count && i < MODULES_MAX; i++) {
        DWORD length =
            K32GetModuleFileNameExW(reader->process, modules[i], reader->path, PATH_UNITS);
        if (length > 0 && length < PATH_UNITS)
            add_module(reader, reader->path, length);
    }
    free(modules);
    return listed;
}

/* The second way: a picture of the process, which is not to be had while its list changes. */
static bool picture_modules(struct reader *reader, int64_t pid)
{
    MODULEENTRY32W *entry = memory_new(sizeof *entry);
    HANDLE picture = INVALID_HANDLE_VALUE;
    for (int i = 0; i < TRIES && picture == INVALID_HANDLE_VALUE; i++) {
        picture = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE | TH32CS_SNAPMODULE32, (DWORD)pid);
        if (picture == INVALID_HANDLE_VALUE && GetLastError() != ERROR_BAD_LENGTH)
            break;
    }
    if (picture != INVALID_HANDLE_VALUE) {
        entry->dwSize = sizeof *entry;
        for (BOOL more = Module32FirstW(picture, entry); more; more = Module32NextW(picture, entry))
            add_module(reader, entry->szExePath, wcsnlen(entry->szExePath, MAX_PATH));
        CloseHandle(picture);
    }
    free(entry);
    return picture != INVALID_HANDLE_VALUE;
}

/* Which file a path leads to. Not over the network: a server that does not answer would be waited
 * for. */
static void identify(struct mapped_file *file)
{
    char spelled[4096];
    if (!windows_path_long(file->path.bytes, spelled, sizeof spelled))
        return;
    wchar_t *wide = wide_of_utf8(spelled);
    HANDLE handle = wide ? CreateFileW(wide, FILE_READ_ATTRIBUTES,
                                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL)
                         : INVALID_HANDLE_VALUE;
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return;
    if (!file_handle_id(handle, &file->device, &file->inode))
        file->device = file->inode = 0;
    CloseHandle(handle);
}

static bool is_same(const struct mapped_file *a, const struct mapped_file *b)
{
    if (a->inode != 0 && b->inode != 0)
        return a->inode == b->inode && a->device == b->device;
    return raw_equal(a->path, b->path);
}

static void add_mapping(struct reader *reader, void *address, uint64_t bytes)
{
    DWORD length = K32GetMappedFileNameW(reader->process, address, reader->path, PATH_UNITS);
    if (length == 0 || length >= PATH_UNITS)
        return; /* memory of the paging file */
    struct mapped_file file = {
        .path =
            windows_path_of_device(reader->arena, wide_to_utf8(reader->arena, reader->path, length),
                                   reader->drives, reader->drive_count),
        .mapped_bytes = bytes,
    };
    if (!file.path.bytes)
        return;
    identify(&file);
    for (size_t i = 0; i < reader->count; i++)
        if (!reader->files[i].executable && is_same(&reader->files[i], &file)) {
            reader->files[i].mapped_bytes += bytes;
            return;
        }
    add(reader, file);
}

/* A mapping may be in several regions: they have its beginning in common. */
struct mapping {
    void *base;
    uint64_t bytes;
    bool is_file;
};

static bool end_mapping(struct reader *reader, const struct mapping *mapping, int *names)
{
    if (mapping->is_file && mapping->bytes >= MAPPED_BYTES_MIN && !reader->cut) {
        reader->cut = ++*names > NAMES_MAX;
        if (!reader->cut)
            add_mapping(reader, mapping->base, mapping->bytes);
    }
    return !reader->cut;
}

static bool walk_memory(struct reader *reader)
{
    MEMORY_BASIC_INFORMATION region;
    struct mapping mapping = {NULL, 0, false};
    const char *at = NULL;
    int names = 0;
    size_t regions = 0;
    while (VirtualQueryEx(reader->process, at, &region, sizeof region) == sizeof region) {
        if (++regions > REGIONS_MAX) {
            reader->cut = true;
            break;
        }
        bool is_mapped = region.State == MEM_COMMIT && region.Type == MEM_MAPPED;
        if (region.State == MEM_FREE || region.AllocationBase != mapping.base) {
            if (!end_mapping(reader, &mapping, &names))
                break;
            mapping =
                (struct mapping){region.State == MEM_FREE ? NULL : region.AllocationBase, 0, false};
        }
        mapping.is_file |= is_mapped;
        mapping.bytes += is_mapped ? region.RegionSize : 0;
        const char *next = (const char *)region.BaseAddress + region.RegionSize;
        if (next <= at)
            break;
        at = next;
    }
    if (!reader->cut)
        end_mapping(reader, &mapping, &names);
    return regions > 0;
}

void process_files_door_read(HANDLE process, int64_t pid, struct arena *arena,
                             struct process_files *files)
{
    struct reader *reader = memory_new(sizeof *reader);
    reader->process = process;
    reader->arena = arena;
    reader->files = ARENA_ARRAY(arena, struct mapped_file, PROCESS_FILES_MAX);
    reader->path = memory_new(PATH_UNITS * sizeof *reader->path);
    read_drives(reader);
    bool modules = list_modules(reader) || picture_modules(reader, pid);
    bool memory = walk_memory(reader);
    files->mapped_known = modules && memory;
    files->mapped_cut = reader->cut;
    files->mapped = reader->files;
    files->mapped_count = reader->count;
    free(reader->path);
    free(reader);
}

#include "os/macos/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"

struct files {
    struct macos_mapped_file *items;
    size_t count, capacity;
};

struct file_key {
    uint64_t device, inode;
};

static uint64_t number_at(const char *record, size_t offset, size_t size)
{
    uint64_t wide;
    uint32_t narrow;
    if (size == sizeof narrow) {
        memcpy(&narrow, record + offset, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, record + offset, sizeof wide);
    return wide;
}

static struct raw_text path_of(struct arena *arena, const char *record)
{
    const char *path = record + REGION_PATH;
    const char *end = memchr(path, '\0', PATH_BYTES);
    size_t length = end ? (size_t)(end - path) : 0;
    if (length == 0)
        return (struct raw_text){NULL, 0};
    return (struct raw_text){arena_string(arena, path, length), length};
}

static void take_region(struct arena *arena, const char *record, struct map *known,
                        struct files *files)
{
    struct file_key key = {number_at(record, REGION_DEVICE, 4), number_at(record, REGION_INODE, 8)};
    bool executable = (number_at(record, REGION_PROTECTION, 4) & PROTECTION_EXECUTE) != 0;
    uint64_t size = number_at(record, REGION_SIZE, 8);
    bool added;
    size_t *place = map_put(known, &key, &added);
    if (added) {
        struct macos_mapped_file file = {
            .path = path_of(arena, record),
            .device = key.device,
            .inode = key.inode,
            .file_bytes = number_at(record, REGION_FILE_BYTES, 8),
        };
        *place = files->count;
        if (file.file_bytes > INT64_MAX)
            file.file_bytes = 0;
        VECTOR_PUSH(files, file);
    }
    struct macos_mapped_file *file = &files->items[*place];
    file->executable |= executable;
    file->mapped_bytes =
        size > UINT64_MAX - file->mapped_bytes ? UINT64_MAX : file->mapped_bytes + size;
}

/* EINVAL: there is no further region, or the process is a zombie. */
static enum macos_mapped_status status_of(int error)
{
    switch (error) {
    case EINVAL:
        return MACOS_MAPPED_OK;
    case EPERM:
    case EACCES:
        return MACOS_MAPPED_DENIED;
    case ESRCH:
        return MACOS_MAPPED_GONE;
    default:
        return MACOS_MAPPED_FAILED;
    }
}

static enum macos_mapped_status walk(const struct macos_calls *calls, struct arena *arena, int pid,
                                     struct map *known, struct files *files, bool *cut)
{
    char record[REGION_BYTES];
    uint64_t at = 0;
    for (int i = 0; i < MACOS_MAPPED_REGIONS_MAX; i++) {
        errno = 0;
        int got = calls->pid_info(pid, PID_REGION_PATH2, at, record, sizeof record);
        if (got != (int)sizeof record)
            return status_of(errno);
        uint64_t address = number_at(record, REGION_ADDRESS, 8);
        uint64_t size = number_at(record, REGION_SIZE, 8), next = address + size;
        if (address < at || size == 0 || next <= address)
            return MACOS_MAPPED_FAILED;
        if (files->count == MACOS_MAPPED_FILES_MAX)
            break;
        take_region(arena, record, known, files);
        at = next;
    }
    *cut = true;
    return MACOS_MAPPED_OK;
}

void macos_regions_read(const struct macos_calls *calls, struct arena *arena, int64_t pid,
                        struct macos_mapped_files *mapped)
{
    struct map *known = map_new(sizeof(struct file_key), sizeof(size_t));
    struct files files = {NULL, 0, 0};
    *mapped = (struct macos_mapped_files){.status = MACOS_MAPPED_GONE};
    if (pid > 0 && pid <= INT32_MAX)
        mapped->status = walk(calls, arena, (int)pid, known, &files, &mapped->cut);
    if (mapped->status == MACOS_MAPPED_OK && files.count > 0) {
        struct macos_mapped_file *copy = ARENA_ARRAY(arena, struct macos_mapped_file, files.count);
        memcpy(copy, files.items, files.count * sizeof *copy);
        mapped->files = copy;
        mapped->count = files.count;
    }
    VECTOR_FREE(&files);
    map_free(&known);
}

#include "os/linux/process_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/lines.h"
#include "base/map.h"
#include "base/number.h"
#include "os/linux/proc_maps.h"
#include "os/linux/proc_stat.h"

enum { PATH_SIZE = 64, TARGET_SIZE = 4096, MAPS_LIMIT = 16 * 1024 * 1024 };

/* Which file a mapping is of. No padding: a key of a map. */
struct file_key {
    uint64_t device, inode;
};

struct mapping_reader {
    struct arena *arena;
    int64_t pid;
    bool recorded;
    struct map *seen; /* struct file_key -> size_t place in files */
    struct mapped_file *files;
    size_t count;
    bool cut;
};

bool socket_inode_parse(struct raw_text target, uint64_t *inode)
{
    static const char prefix[] = "socket:[";
    size_t used, length = sizeof prefix - 1;
    if (!raw_starts_with(target, prefix))
        return false;
    struct raw_text digits = {target.bytes + length, target.length - length};
    return number_parse_u64(digits, inode, &used) && used + 1 == digits.length &&
           digits.bytes[used] == ']';
}

bool process_is_still(const struct root *root, struct identity identity)
{
    char path[PATH_SIZE], text[2048];
    size_t length;
    struct proc_stat stat;
    snprintf(path, sizeof path, "proc/%" PRId64 "/stat", identity.pid);
    return root_read(root, path, text, sizeof text, &length, NULL) == ROOT_OK &&
           proc_stat_parse((struct raw_text){text, length}, &stat) &&
           stat.start_stamp == identity.start_stamp;
}

/* The kernel writes a line end in a path as "\\012" (proc_pid_maps(5)), and nothing else so. */
static struct raw_text copy_path(struct arena *arena, struct raw_text path)
{
    static const char escape[] = "\\012";
    char *copy = arena_string(arena, path.bytes, path.length);
    size_t length = 0;
    for (size_t i = 0; i < path.length; i++) {
        bool escaped = path.length - i >= 4 && memcmp(path.bytes + i, escape, 4) == 0;
        copy[length++] = escaped ? '\n' : path.bytes[i];
        i += escaped ? 3 : 0;
    }
    copy[length] = '\0';
    return (struct raw_text){copy, length};
}

/* A removed file can still be read through its mapping, by those who may (root). */
static struct raw_text place_of(const struct mapping_reader *reader,
                                const struct proc_mapping *mapping)
{
    if (!mapping->deleted || reader->recorded)
        return (struct raw_text){0};
    struct text place =
        text_format(reader->arena, "proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, reader->pid,
                    mapping->start, mapping->end);
    return (struct raw_text){place.utf8, place.size};
}

static bool take_mapping(struct raw_text line, void *context)
{
    struct mapping_reader *reader = context;
    struct proc_mapping mapping;
    if (!proc_mapping_parse(line, &mapping) || mapping.inode == 0 || mapping.path.length == 0 ||
        mapping.path.bytes[0] != '/')
        return true;
    struct file_key key = {(uint64_t)mapping.device_major << 32 | mapping.device_minor,
                           mapping.inode};
    bool added;
    size_t *place = map_put(reader->seen, &key, &added);
    if (added && reader->count == PROCESS_FILES_MAX) {
        reader->cut = true;
        return false;
    }
    if (added) {
        *place = reader->count++;
        reader->files[*place] = (struct mapped_file){
            .path = copy_path(reader->arena, mapping.path),
            .deleted = mapping.deleted,
            .device = key.device,
            .inode = key.inode,
            .place = place_of(reader, &mapping),
        };
    }
    struct mapped_file *file = &reader->files[*place];
    file->executable |= mapping.executable;
    if (mapping.end - mapping.start <= UINT64_MAX - file->mapped_bytes)
        file->mapped_bytes += mapping.end - mapping.start;
    return true;
}

static void read_mapped(const struct root *root, struct arena *arena, int64_t pid,
                        struct process_files *files)
{
    char path[PATH_SIZE];
    struct mapping_reader reader = {
        .arena = arena,
        .pid = pid,
        .recorded = root_is_recorded(root),
        .seen = map_new(sizeof(struct file_key), sizeof(size_t)),
        .files = ARENA_ARRAY(arena, struct mapped_file, PROCESS_FILES_MAX),
    };
    snprintf(path, sizeof path, "proc/%" PRId64 "/maps", pid);
    enum root_result result = root_each_line(root, path, MAPS_LIMIT, take_mapping, &reader, NULL);
    map_free(&reader.seen);
    files->mapped_known = result == ROOT_OK || result == ROOT_TRUNCATED;
    files->mapped_cut = reader.cut || result == ROOT_TRUNCATED;
    files->mapped = reader.files;
    files->mapped_count = reader.count;
}

/* A file somebody could have stored something in. */
static bool is_stored_file(struct raw_text target)
{
    return target.length > 0 && target.bytes[0] == '/' && !raw_starts_with(target, "/dev/") &&
           !raw_starts_with(target, "/proc/") && !raw_starts_with(target, "/sys/");
}

/* A removed file can still be read through its descriptor, on a real machine. */
static struct raw_text place_of_open(const struct root *root, struct arena *arena, const char *path)
{
    if (root_is_recorded(root))
        return (struct raw_text){0};
    return (struct raw_text){arena_string(arena, path, strlen(path)), strlen(path)};
}

static void read_open(const struct root *root, struct arena *arena, int64_t pid,
                      struct process_files *files)
{
    char path[PATH_SIZE + 16], target[TARGET_SIZE], **names;
    const struct raw_text none = {0};
    size_t count, length;
    snprintf(path, sizeof path, "proc/%" PRId64 "/fd", pid);
    enum root_result result = root_list(root, arena, path, PROCESS_FILES_MAX, &names, &count);
    files->open_known = result == ROOT_OK || result == ROOT_TRUNCATED;
    files->open_cut = result == ROOT_TRUNCATED;
    struct open_file *open = ARENA_ARRAY(arena, struct open_file, count);
    struct open_socket *sockets = ARENA_ARRAY(arena, struct open_socket, count);
    files->open = open;
    files->sockets = sockets;
    for (size_t i = 0; i < count; i++) {
        uint64_t fd, inode;
        if (!number_parse_u64(raw_from_string(names[i]), &fd, NULL) || fd > INT32_MAX)
            continue;
        snprintf(path, sizeof path, "proc/%" PRId64 "/fd/%" PRIu64, pid, fd);
        enum root_result linked = root_read_link(root, path, target, sizeof target, &length);
        struct raw_text raw = {target, length};
        if (linked != ROOT_OK)
            continue; /* closed meanwhile, or longer than any path that can be opened */
        if (socket_inode_parse(raw, &inode)) {
            sockets[files->socket_count++] = (struct open_socket){(int32_t)fd, inode};
        } else if (is_stored_file(raw)) {
            bool deleted = path_strip_deleted(&raw);
            open[files->open_count++] =
                (struct open_file){.fd = (int32_t)fd,
                                   .path = {arena_string(arena, raw.bytes, raw.length), raw.length},
                                   .place = deleted ? place_of_open(root, arena, path) : none,
                                   .deleted = deleted};
        }
    }
}

bool process_files_read(const struct root *root, struct arena *arena, struct identity identity,
                        struct process_files *files)
{
    *files = (struct process_files){.mapped_known = false};
    if (identity.space != NAMESPACE_LOCAL || identity.pid <= 0 || !process_is_still(root, identity))
        return false;
    read_mapped(root, arena, identity.pid, files);
    read_open(root, arena, identity.pid, files);
    return process_is_still(root, identity);
}

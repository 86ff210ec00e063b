#include "os/linux/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/lines.h"
#include "base/number.h"
#include "os/linux/net_tcp.h"
#include "os/linux/proc_stat.h"
#include "os/linux/process_files.h"

enum {
    COMMAND_LIMIT = 128 * 1024,
    ENVIRONMENT_LIMIT = 256 * 1024,
    TABLE_LIMIT = 4 * 1024 * 1024,
    PATH_SIZE = 96,
    TARGET_SIZE = 4096,
};

static struct raw_text read_link(const struct inside *inside, struct arena *arena, int64_t pid,
                                 const char *name)
{
    char path[PATH_SIZE], target[TARGET_SIZE];
    size_t length;
    snprintf(path, sizeof path, "proc/%" PRId64 "/%s", pid, name);
    if (root_read_link(inside->files, path, target, sizeof target, &length) != ROOT_OK)
        return (struct raw_text){0};
    return (struct raw_text){arena_string(arena, target, length), length};
}

static struct raw_text read_text(const struct inside *inside, struct arena *arena, int64_t pid,
                                 const char *name, size_t limit)
{
    char path[PATH_SIZE];
    struct raw_text content;
    snprintf(path, sizeof path, "proc/%" PRId64 "/%s", pid, name);
    enum root_result result = root_read_arena(inside->files, arena, path, limit, &content, NULL);
    return result == ROOT_OK || result == ROOT_TRUNCATED ? content : (struct raw_text){0};
}

static bool about(const struct inside *inside, struct arena *arena, int64_t pid,
                  struct process_about *about)
{
    char path[PATH_SIZE], text[4096];
    size_t length;
    struct proc_stat stat;
    snprintf(path, sizeof path, "proc/%" PRId64 "/stat", pid);
    *about = (struct process_about){.parent_pid = 0};
    enum root_result result = root_read(inside->files, path, text, sizeof text, &length, NULL);
    if ((result != ROOT_OK && result != ROOT_TRUNCATED) || length == 0 ||
        !proc_stat_parse((struct raw_text){text, length}, &stat))
        return false;
    about->start_stamp = stat.start_stamp;
    about->parent_pid = stat.parent_pid;
    about->name = read_text(inside, arena, pid, "comm", 4096);
    if (about->name.length > 0 && about->name.bytes[about->name.length - 1] == '\n')
        about->name.length--;
    about->executable = read_link(inside, arena, pid, "exe");
    about->cwd = read_link(inside, arena, pid, "cwd");
    about->command = read_text(inside, arena, pid, "cmdline", COMMAND_LIMIT);
    return true;
}

static struct raw_text environment(const struct inside *inside, struct arena *arena, int64_t pid)
{
    return read_text(inside, arena, pid, "environ", ENVIRONMENT_LIMIT);
}

static bool files(const struct inside *inside, struct arena *arena, struct identity identity,
                  struct process_files *files)
{
    return process_files_read(inside->files, arena, identity, files);
}

/* "pos:\t12345" of /proc/PID/fdinfo/N. */
static struct measured position_of(const struct inside *inside, int64_t pid, int fd)
{
    char path[PATH_SIZE], text[512];
    size_t length;
    int64_t position;
    snprintf(path, sizeof path, "proc/%" PRId64 "/fdinfo/%d", pid, fd);
    enum root_result result = root_read(inside->files, path, text, sizeof text, &length, NULL);
    struct raw_text rest = {text, length}, line, before, after;
    while ((result == ROOT_OK || result == ROOT_TRUNCATED) && lines_next(&rest, &line))
        if (raw_split(line, ':', &before, &after) && raw_equal_string(before, "pos") &&
            number_parse_i64(raw_trim(after), &position, NULL) && position >= 0)
            return measured_known(position);
    return measured_unknown(REASON_not_reported);
}

/* On a real machine it is read through the descriptor itself: that works whatever became of the
 * name. */
static bool descriptor(const struct inside *inside, struct arena *arena, int64_t pid, int fd,
                       struct process_descriptor *descriptor)
{
    char name[32];
    snprintf(name, sizeof name, "fd/%d", fd);
    *descriptor = (struct process_descriptor){.target = read_link(inside, arena, pid, name)};
    descriptor->position = position_of(inside, pid, fd);
    if (!inside->recorded) {
        struct text place = text_format(arena, "proc/%" PRId64 "/fd/%d", pid, fd);
        descriptor->place = (struct raw_text){place.utf8, place.size};
    }
    return descriptor->target.length > 0;
}

/* A process of another mount namespace or root names files that lie elsewhere for us. */
static void prefix(const struct inside *inside, int64_t pid, char *prefix, size_t size)
{
    char path[PATH_SIZE], own[256], target[TARGET_SIZE];
    size_t own_length, length;
    prefix[0] = '\0';
    if (inside->recorded ||
        root_read_link(inside->files, "proc/self/ns/mnt", own, sizeof own, &own_length) != ROOT_OK)
        return;
    snprintf(path, sizeof path, "proc/%" PRId64 "/ns/mnt", pid);
    bool elsewhere =
        root_read_link(inside->files, path, target, sizeof target, &length) == ROOT_OK &&
        length > 0 && (length != own_length || memcmp(target, own, length) != 0);
    snprintf(path, sizeof path, "proc/%" PRId64 "/root", pid);
    elsewhere |= root_read_link(inside->files, path, target, sizeof target, &length) == ROOT_OK &&
                 length > 0 && strcmp(target, "/") != 0;
    if (elsewhere)
        snprintf(prefix, size, "%s", path);
}

/* "NSpid:\t4242\t271": the last is its pid in its own namespace. */
static int64_t inner_pid(const struct inside *inside, int64_t pid)
{
    char path[PATH_SIZE], text[4096];
    size_t length;
    int64_t inner = 0;
    snprintf(path, sizeof path, "proc/%" PRId64 "/status", pid);
    enum root_result result = root_read(inside->files, path, text, sizeof text, &length, NULL);
    struct raw_text rest = {text, length}, line, key, value, word;
    while ((result == ROOT_OK || result == ROOT_TRUNCATED) && lines_next(&rest, &line))
        if (raw_split(line, ':', &key, &value) && raw_equal_string(key, "NSpid"))
            while (fields_next(&value, '\t', &word))
                number_parse_i64(raw_trim(word), &inner, NULL);
    return inner;
}

/* The kernel may be asked instead of the files where they would tell of our own namespace. */
static bool is_own_namespace(const struct inside *inside, int64_t pid)
{
    char path[PATH_SIZE], own[64], its[64];
    size_t own_length, its_length;
    if (root_is_recorded(inside->files) || pid == 0)
        return pid == 0 && !root_is_recorded(inside->files);
    snprintf(path, sizeof path, "proc/%" PRId64 "/ns/net", pid);
    return root_read_link(inside->files, path, its, sizeof its, &its_length) == ROOT_OK &&
           root_read_link(inside->files, "proc/self/ns/net", own, sizeof own, &own_length) ==
               ROOT_OK &&
           its_length == own_length && memcmp(its, own, own_length) == 0;
}

struct table_reader {
    bool (*take)(const struct listening_socket *socket, void *context);
    void *context;
    bool is_v6, enough;
};

static bool take_line(struct raw_text line, void *context)
{
    struct table_reader *reader = context;
    struct listening_socket socket;
    if (net_tcp_parse(line, reader->is_v6, &socket))
        reader->enough = !reader->take(&socket, reader->context);
    return !reader->enough;
}

static enum listening_answer
listening(const struct inside *inside, int64_t pid,
          bool (*take)(const struct listening_socket *socket, void *context), void *context)
{
    char path[PATH_SIZE], folder[32] = "self";
    struct table_reader reader = {.take = take, .context = context};
    enum listening_answer answer = LISTENING_UNKNOWN;
    if (is_own_namespace(inside, pid)) {
        if (listening_sockets_each(take, context))
            return LISTENING_COMPLETE;
        take(NULL, context);
    }
    if (pid != 0)
        snprintf(folder, sizeof folder, "%" PRId64, pid);
    for (int is_v6 = 0; is_v6 <= 1 && !reader.enough && answer != LISTENING_CUT; is_v6++) {
        reader.is_v6 = is_v6 != 0;
        snprintf(path, sizeof path, "proc/%s/net/tcp%s", folder, is_v6 ? "6" : "");
        enum root_result result =
            root_each_line(inside->files, path, TABLE_LIMIT, take_line, &reader, NULL);
        if (result == ROOT_OK)
            answer = LISTENING_COMPLETE;
        else if (result == ROOT_TRUNCATED)
            answer = LISTENING_CUT;
    }
    return answer;
}

/* The descriptor still is this socket, and the process is the same. */
static bool holds_socket(const struct inside *inside, struct identity identity,
                         const struct open_socket *socket)
{
    char path[PATH_SIZE], target[128];
    size_t length;
    uint64_t inode;
    snprintf(path, sizeof path, "proc/%" PRId64 "/fd/%d", identity.pid, (int)socket->fd);
    return root_read_link(inside->files, path, target, sizeof target, &length) == ROOT_OK &&
           socket_inode_parse((struct raw_text){target, length}, &inode) &&
           inode == socket->inode && process_is_still(inside->files, identity);
}

static const struct inside_ops linux_ops = {
    .about = about,
    .environment = environment,
    .files = files,
    .descriptor = descriptor,
    .prefix = prefix,
    .inner_pid = inner_pid,
    .listening = listening,
    .holds_socket = holds_socket,
};

struct inside linux_inside(const struct root *root)
{
    return (struct inside){
        .ops = &linux_ops,
        .files = root,
        .recorded = root_is_recorded(root),
        .shows_open_files = true,
        .how_to_see_more = "with sudo",
    };
}

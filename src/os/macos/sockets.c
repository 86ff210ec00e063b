#include "os/macos/sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"

enum {
    FIRST_DESCRIPTORS = 256,
    VERSION_4 = 1,
    VERSION_6 = 2,
    MODE_KIND = 0170000,
    MODE_FILE = 0100000
};

static int32_t number_at(const char *record, size_t offset)
{
    int32_t value;
    memcpy(&value, record + offset, sizeof value);
    return value;
}

/* The table of descriptors: `room` grows until it is not full. The caller frees. -1: refused; *cut:
 * there are more. */
static int read_table(const struct macos_calls *calls, int pid, char **table, bool *cut)
{
    for (int room = FIRST_DESCRIPTORS;; room *= 4) {
        if (room > MACOS_DESCRIPTORS_MAX)
            room = MACOS_DESCRIPTORS_MAX;
        *table = memory_new((size_t)room * FD_BYTES);
        errno = 0;
        int got = calls->pid_info(pid, PID_FDS, 0, *table, room * FD_BYTES);
        int count = got < 0 || (got == 0 && errno != 0) ? -1 : got / FD_BYTES;
        *cut = count >= room;
        if (count < room || room == MACOS_DESCRIPTORS_MAX)
            return count > room ? room : count;
        free(*table);
    }
}

bool macos_socket_parse(const char *record, struct listening_socket *socket)
{
    unsigned char version = (unsigned char)record[FD_SOCKET_VERSION];
    const char *address = record + FD_SOCKET_LOCAL_ADDRESS;
    if (number_at(record, FD_SOCKET_KIND) != SOCKET_KIND_TCP ||
        number_at(record, FD_SOCKET_STATE) != SOCKET_STATE_LISTEN ||
        (version & (VERSION_4 | VERSION_6)) == 0)
        return false;
    const unsigned char *port = (const unsigned char *)record + FD_SOCKET_LOCAL_PORT;
    *socket = (struct listening_socket){
        .is_v6 = (version & VERSION_6) != 0,
        .port = port[0] << 8 | port[1],
    };
    memcpy(&socket->inode, record + FD_SOCKET_ID, sizeof socket->inode);
    if (socket->is_v6)
        memcpy(socket->address, address, 16);
    else
        memcpy(socket->address, address + 12, 4);
    return true;
}

static bool read_socket(const struct macos_calls *calls, int pid, int fd, char *record)
{
    return calls->fd_info(pid, fd, FD_SOCKET, record, FD_SOCKET_BYTES) == FD_SOCKET_BYTES;
}

bool macos_listening_of(const struct macos_calls *calls, int64_t pid,
                        bool (*take)(const struct listening_socket *socket, void *context),
                        void *context, bool *enough)
{
    char *table = NULL, record[FD_SOCKET_BYTES];
    bool cut = false;
    int count = pid > 0 && pid <= INT32_MAX ? read_table(calls, (int)pid, &table, &cut) : -1;
    for (int i = 0; i < count && !*enough; i++) {
        const char *entry = table + (size_t)i * FD_BYTES;
        struct listening_socket socket;
        if (number_at(entry, FD_TYPE) == FD_TYPE_SOCKET &&
            read_socket(calls, (int)pid, number_at(entry, FD_NUMBER), record) &&
            macos_socket_parse(record, &socket))
            *enough = !take(&socket, context);
    }
    free(table);
    return count >= 0 && !cut;
}

bool macos_holds_socket(const struct macos_calls *calls, int64_t pid, int fd, uint64_t inode)
{
    char record[FD_SOCKET_BYTES];
    uint64_t is;
    if (pid <= 0 || pid > INT32_MAX || !read_socket(calls, (int)pid, fd, record))
        return false;
    memcpy(&is, record + FD_SOCKET_ID, sizeof is);
    return is == inode;
}

bool macos_open_file(const struct macos_calls *calls, int64_t pid, int fd, char *record)
{
    uint16_t mode;
    if (pid <= 0 || pid > INT32_MAX ||
        calls->fd_info((int)pid, fd, FD_VNODE_PATH, record, FD_FILE_BYTES) != FD_FILE_BYTES)
        return false;
    memcpy(&mode, record + FD_FILE_MODE, sizeof mode);
    return (mode & MODE_KIND) == MODE_FILE;
}

struct opened {
    struct {
        struct open_file *items;
        size_t count, capacity;
    } files;
    struct {
        struct open_socket *items;
        size_t count, capacity;
    } sockets;
};

static void take_file(const struct macos_calls *calls, struct arena *arena, int64_t pid, int fd,
                      struct opened *opened)
{
    char record[FD_FILE_BYTES];
    if (!macos_open_file(calls, pid, fd, record))
        return;
    const char *path = record + FD_FILE_PATH, *end = memchr(path, '\0', PATH_BYTES);
    size_t length = end ? (size_t)(end - path) : 0;
    struct open_file file = {.fd = fd, .path = {arena_string(arena, path, length), length}};
    if (length > 0)
        VECTOR_PUSH(&opened->files, file);
}

static void take_socket(const struct macos_calls *calls, int64_t pid, int fd, struct opened *opened)
{
    char record[FD_SOCKET_BYTES];
    struct open_socket socket = {.fd = fd};
    if (!read_socket(calls, (int)pid, fd, record))
        return;
    memcpy(&socket.inode, record + FD_SOCKET_ID, sizeof socket.inode);
    VECTOR_PUSH(&opened->sockets, socket);
}

static void keep(struct arena *arena, const struct opened *opened, struct process_files *files)
{
    struct open_file *open = ARENA_ARRAY(arena, struct open_file, opened->files.count);
    struct open_socket *sockets = ARENA_ARRAY(arena, struct open_socket, opened->sockets.count);
    if (opened->files.count > 0)
        memcpy(open, opened->files.items, opened->files.count * sizeof *open);
    if (opened->sockets.count > 0)
        memcpy(sockets, opened->sockets.items, opened->sockets.count * sizeof *sockets);
    files->open = open;
    files->open_count = opened->files.count;
    files->sockets = sockets;
    files->socket_count = opened->sockets.count;
}

void macos_open_files_read(const struct macos_calls *calls, struct arena *arena, int64_t pid,
                           struct process_files *files)
{
    struct opened opened = {.files = {NULL, 0, 0}};
    char *table = NULL;
    int count =
        pid > 0 && pid <= INT32_MAX ? read_table(calls, (int)pid, &table, &files->open_cut) : -1;
    files->open_known = count >= 0;
    for (int i = 0; i < count; i++) {
        const char *entry = table + (size_t)i * FD_BYTES;
        int32_t fd = number_at(entry, FD_NUMBER), type = number_at(entry, FD_TYPE);
        bool full =
            opened.files.count == PROCESS_FILES_MAX || opened.sockets.count == PROCESS_FILES_MAX;
        files->open_cut |= full;
        if (!full && type == FD_TYPE_VNODE)
            take_file(calls, arena, pid, fd, &opened);
        else if (!full && type == FD_TYPE_SOCKET)
            take_socket(calls, pid, fd, &opened);
    }
    keep(arena, &opened, files);
    VECTOR_FREE(&opened.files);
    VECTOR_FREE(&opened.sockets);
    free(table);
}

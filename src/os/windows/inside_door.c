#include "os/windows/inside.h"

#include <string.h>

#include "base/arena.h"
#include "os/windows/command_line.h"
#include "os/windows/process_door.h"
#include "os/windows/process_files_door.h"
#include "os/windows/tcp_table.h"

static const DWORD may_look = PROCESS_QUERY_INFORMATION | PROCESS_VM_READ;

/* With as much as is permitted. */
static HANDLE open_widely(int64_t pid, int64_t created_100ns)
{
    HANDLE process = process_door_open(pid, created_100ns, may_look);
    return process ? process : process_door_open(pid, created_100ns, 0);
}

static struct raw_text file_name(struct raw_text path)
{
    for (size_t at = path.length; at > 0; at--)
        if (path.bytes[at - 1] == '\\')
            return (struct raw_text){path.bytes + at, path.length - at};
    return path;
}

static bool about(const struct inside *inside, struct arena *arena, int64_t pid,
                  struct process_about *about)
{
    (void)inside;
    *about = (struct process_about){.parent_pid = 0};
    HANDLE process = open_widely(pid, 0);
    if (!process)
        return false;
    about->start_stamp = (uint64_t)process_door_created(process);
    about->parent_pid = process_door_parent(process);
    about->executable = process_door_executable(process, arena);
    about->name = file_name(about->executable);
    about->cwd = process_door_folder(process, arena);
    about->command = command_line_arguments(arena, process_door_command(process, arena));
    CloseHandle(process);
    return about->start_stamp != 0;
}

static struct raw_text environment(const struct inside *inside, struct arena *arena, int64_t pid)
{
    (void)inside;
    HANDLE process = process_door_open(pid, 0, may_look);
    struct raw_text variables = {0};
    if (process) {
        variables = process_door_environment(process, arena);
        CloseHandle(process);
    }
    return variables;
}

struct own_sockets {
    struct process_files *files;
    struct open_socket *sockets;
    int64_t pid;
};

static bool take_own(const struct listening_socket *socket, void *context)
{
    struct own_sockets *own = context;
    if (tcp_table_owner(socket->inode) == own->pid)
        own->sockets[own->files->socket_count++] =
            (struct open_socket){.fd = -1, .inode = socket->inode};
    return own->files->socket_count < PROCESS_FILES_MAX;
}

/* A protected one is not opened at all; that it runs is known from the list of all. */
static bool is_refused(int64_t pid)
{
    HANDLE process = process_door_open(pid, 0, 0);
    DWORD error = GetLastError();
    if (process)
        CloseHandle(process);
    return !process && error == ERROR_ACCESS_DENIED;
}

static bool files(const struct inside *inside, struct arena *arena, struct identity identity,
                  struct process_files *files)
{
    (void)inside;
    *files = (struct process_files){.mapped_known = false};
    int64_t created = (int64_t)identity.start_stamp;
    if (identity.space != NAMESPACE_LOCAL || created <= 0)
        return false;
    HANDLE process = process_door_open(identity.pid, created, may_look);
    bool may = process != NULL;
    if (!may)
        process = process_door_open(identity.pid, created, 0);
    if (!process)
        return is_refused(identity.pid);
    if (may)
        process_files_door_read(process, identity.pid, arena, files);
    struct own_sockets own = {
        .files = files,
        .sockets = ARENA_ARRAY(arena, struct open_socket, PROCESS_FILES_MAX),
        .pid = identity.pid,
    };
    if (!listening_sockets_each(take_own, &own))
        files->socket_count = 0;
    files->sockets = own.sockets;
    bool still = !process_door_has_ended(process);
    CloseHandle(process);
    return still;
}

static enum listening_answer
listening(const struct inside *inside, int64_t pid,
          bool (*take)(const struct listening_socket *socket, void *context), void *context)
{
    (void)inside, (void)pid;
    if (listening_sockets_each(take, context))
        return LISTENING_COMPLETE;
    take(NULL, context);
    return LISTENING_UNKNOWN;
}

/* The table that is read right afterwards has the owner in the socket's own number. */
static bool holds_socket(const struct inside *inside, struct identity identity,
                         const struct open_socket *socket)
{
    (void)inside;
    HANDLE process = process_door_open(identity.pid, (int64_t)identity.start_stamp, 0);
    bool same = process && !process_door_has_ended(process) &&
                tcp_table_owner(socket->inode) == identity.pid;
    if (process)
        CloseHandle(process);
    return same;
}

static const struct inside_ops windows_ops = {
    .about = about,
    .environment = environment,
    .files = files,
    .descriptor = inside_no_descriptor,
    .prefix = inside_no_prefix,
    .inner_pid = inside_same_pid,
    .listening = listening,
    .holds_socket = holds_socket,
};

struct inside windows_inside(const struct root *root)
{
    return (struct inside){
        .ops = &windows_ops,
        .files = root,
        .recorded = root_is_recorded(root),
        .how_to_see_more = "as administrator",
    };
}

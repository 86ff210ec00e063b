#include "os/macos/inside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "os/macos/process_list_door.h"
#include "os/macos/regions.h"
#include "os/macos/sockets.h"

static bool is_still(struct identity identity)
{
    int64_t started_us = macos_process_started_us(identity.pid);
    return started_us > 0 && (uint64_t)started_us == identity.start_stamp;
}

static struct raw_text current_folder(struct arena *arena, int64_t pid)
{
    char record[FOLDERS_BYTES];
    const char *path = record + FOLDER_PATH;
    if (macos_calls.pid_info((int)pid, PID_VNODE_PATH, 0, record, sizeof record) !=
        (int)sizeof record)
        return (struct raw_text){NULL, 0};
    const char *end = memchr(path, '\0', PATH_BYTES);
    size_t length = end ? (size_t)(end - path) : 0;
    if (length == 0)
        return (struct raw_text){NULL, 0};
    return (struct raw_text){arena_string(arena, path, length), length};
}

static bool about(const struct inside *inside, struct arena *arena, int64_t pid,
                  struct process_about *about)
{
    struct macos_process process;
    struct process_arguments arguments;
    (void)inside;
    *about = (struct process_about){.parent_pid = 0};
    if (!macos_process_read(arena, pid, &process))
        return false;
    about->start_stamp = process.started_us > 0 ? (uint64_t)process.started_us : IDENTITY_NO_STAMP;
    about->parent_pid = process.parent_pid;
    about->name = process.name;
    about->executable = macos_process_path(arena, pid);
    about->cwd = current_folder(arena, pid);
    if (macos_process_arguments(arena, pid, &arguments))
        about->command = arguments.command;
    return true;
}

static struct raw_text environment(const struct inside *inside, struct arena *arena, int64_t pid)
{
    struct process_arguments arguments;
    (void)inside;
    if (!macos_process_arguments(arena, pid, &arguments))
        return (struct raw_text){NULL, 0};
    return arguments.environment;
}

static void read_mapped(struct arena *arena, int64_t pid, struct process_files *files)
{
    struct macos_mapped_files mapped;
    macos_mapped_files_read(arena, pid, &mapped);
    files->mapped_known = mapped.status == MACOS_MAPPED_OK;
    files->mapped_cut = mapped.cut;
    struct mapped_file *items = ARENA_ARRAY(arena, struct mapped_file, mapped.count);
    for (size_t i = 0; i < mapped.count; i++)
        items[i] = (struct mapped_file){
            .path = mapped.files[i].path,
            .executable = mapped.files[i].executable,
            .device = mapped.files[i].device,
            .inode = mapped.files[i].inode,
            .mapped_bytes = mapped.files[i].mapped_bytes,
            .file_bytes = mapped.files[i].file_bytes,
        };
    files->mapped = items;
    files->mapped_count = mapped.count;
}

static bool files(const struct inside *inside, struct arena *arena, struct identity identity,
                  struct process_files *files)
{
    (void)inside;
    *files = (struct process_files){.mapped_known = false};
    if (!is_still(identity))
        return false;
    read_mapped(arena, identity.pid, files);
    macos_open_files_read(&macos_calls, arena, identity.pid, files);
    return is_still(identity);
}

static bool descriptor(const struct inside *inside, struct arena *arena, int64_t pid, int fd,
                       struct process_descriptor *descriptor)
{
    char record[FD_FILE_BYTES];
    int64_t offset;
    (void)inside;
    *descriptor = (struct process_descriptor){.target = {NULL, 0}};
    if (!macos_open_file(&macos_calls, pid, fd, record))
        return false;
    const char *path = record + FD_FILE_PATH, *end = memchr(path, '\0', PATH_BYTES);
    size_t length = end ? (size_t)(end - path) : 0;
    memcpy(&offset, record + FD_FILE_OFFSET, sizeof offset);
    descriptor->target = (struct raw_text){arena_string(arena, path, length), length};
    descriptor->position =
        offset >= 0 ? measured_known(offset) : measured_unknown(REASON_not_reported);
    return length > 0;
}

/* macOS has no list of all sockets with their owners: those of our own processes are walked. Nobody
 * else but root can be listening on the same port: the kernel lets only the same user (or root)
 * bind it again (xnu bsd/netinet/in_pcb.c, in_pcbbind). */
static enum listening_answer
listening(const struct inside *inside, int64_t pid,
          bool (*take)(const struct listening_socket *socket, void *context), void *context)
{
    struct arena *arena = arena_new();
    struct macos_process_list list;
    const struct macos_process_details nobody = {NULL, 0};
    bool enough = false, complete = true;
    (void)inside;
    (void)pid;
    macos_process_list_read(arena, &nobody, &list);
    for (size_t i = 0; i < list.count && !enough; i++) {
        const struct macos_process *process = &list.processes[i];
        bool readable = list.own_uid == 0 || process->uid == list.own_uid;
        if (process->pid <= 0 || process->zombie || !readable)
            continue;
        bool told = macos_listening_of(&macos_calls, process->pid, take, context, &enough);
        complete &= told || macos_process_started_us(process->pid) != process->started_us;
    }
    bool read = list.read;
    arena_free(&arena);
    return !read ? LISTENING_UNKNOWN : complete || enough ? LISTENING_COMPLETE : LISTENING_CUT;
}

static bool holds_socket(const struct inside *inside, struct identity identity,
                         const struct open_socket *socket)
{
    (void)inside;
    return macos_holds_socket(&macos_calls, identity.pid, socket->fd, socket->inode) &&
           is_still(identity);
}

static const struct inside_ops macos_ops = {
    .about = about,
    .environment = environment,
    .files = files,
    .descriptor = descriptor,
    .prefix = inside_no_prefix,
    .inner_pid = inside_same_pid,
    .listening = listening,
    .holds_socket = holds_socket,
};

struct inside macos_inside(const struct root *root)
{
    return (struct inside){
        .ops = &macos_ops,
        .files = root,
        .shows_open_files = true,
        .how_to_see_more = "with sudo",
    };
}

/* What the inspector sees inside a process of a recorded Mac: its program and command line, and the
 * files it has mapped. Open files and sockets are not recorded. */
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "os/recorded/macos_input.h"

static const struct macos_input *input_of(const struct inside *inside)
{
    const char *member = (const char *)inside;
    return macos_input_of(
        (const struct machine *)(const void *)(member - offsetof(struct machine, inside)));
}

static bool find(const struct inside *inside, struct arena *arena, int64_t pid,
                 struct macos_process *process)
{
    struct macos_process_list list = {.read = false};
    macos_input_processes(input_of(inside), arena, &list);
    const struct macos_process *found = macos_process_find(&list, pid);
    if (found)
        *process = *found;
    return found != NULL;
}

static bool about(const struct inside *inside, struct arena *arena, int64_t pid,
                  struct process_about *about)
{
    struct macos_process process;
    *about = (struct process_about){.parent_pid = 0};
    if (!find(inside, arena, pid, &process))
        return false;
    *about = (struct process_about){
        .start_stamp = macos_identity(&process).start_stamp,
        .parent_pid = process.parent_pid,
        .name = process.name,
        .executable = process.path,
        .command = process.command,
    };
    return true;
}

static struct raw_text environment(const struct inside *inside, struct arena *arena, int64_t pid)
{
    return macos_input_environment(input_of(inside), arena, pid);
}

static bool ends_in(struct raw_text path, const char *end)
{
    size_t length = strlen(end);
    return path.length > length && memcmp(path.bytes + path.length - length, end, length) == 0;
}

/* The kernel tells protections of regions, not of files: programs and libraries are told by name.
 */
static bool is_program(struct raw_text path)
{
    static const char bundle[] = "/Contents/MacOS/";
    for (size_t at = 0; at + sizeof bundle - 1 <= path.length; at++)
        if (memcmp(path.bytes + at, bundle, sizeof bundle - 1) == 0)
            return true;
    return ends_in(path, ".dylib") || ends_in(path, ".so");
}

static void set_mapped(const struct inside *inside, struct arena *arena, int64_t pid,
                       struct process_files *files)
{
    struct macos_mapped_files mapped = {.status = MACOS_MAPPED_FAILED};
    macos_input_mapped(input_of(inside), arena, pid, &mapped);
    files->mapped_known = mapped.status == MACOS_MAPPED_OK;
    size_t count = mapped.count < PROCESS_FILES_MAX ? mapped.count : PROCESS_FILES_MAX;
    files->mapped_cut = count < mapped.count;
    struct mapped_file *items = ARENA_ARRAY(arena, struct mapped_file, count);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct mapped_file){
            .path = mapped.files[i].path,
            .executable = is_program(mapped.files[i].path),
            .device = mapped.files[i].device,
            .inode = mapped.files[i].inode,
            .mapped_bytes = mapped.files[i].mapped_bytes,
            .file_bytes = mapped.files[i].file_bytes,
        };
    files->mapped = items;
    files->mapped_count = count;
}

static bool files(const struct inside *inside, struct arena *arena, struct identity identity,
                  struct process_files *files)
{
    struct macos_process process;
    memset(files, 0, sizeof *files);
    if (!find(inside, arena, identity.pid, &process) ||
        !identity_equal(macos_identity(&process), identity))
        return false;
    set_mapped(inside, arena, identity.pid, files);
    return true;
}

static const struct inside_ops macos_ops = {
    .about = about,
    .environment = environment,
    .files = files,
    .descriptor = inside_no_descriptor,
    .prefix = inside_no_prefix,
    .inner_pid = inside_same_pid,
    .listening = inside_no_listening,
    .holds_socket = inside_no_socket,
};

struct inside macos_input_inside(const struct root *files)
{
    return (struct inside){
        .ops = files ? &macos_ops : NULL,
        .files = files,
        .recorded = true,
        .how_to_see_more = "with sudo",
    };
}

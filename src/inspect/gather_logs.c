/* Where the load logs of a process are. */
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "inspect/gather_log.h"
#include "inspect/path.h"
#include "os/linux/process_files.h"

struct log_folder {
    const char *program, *folder, *file;
};

static const struct log_folder log_folders[] = {
#define LOG_FOLDER(program, folder, file) {program, folder, file},
#include "inspect/log_folders.def"
#undef LOG_FOLDER
};

/* A descriptor of the process or of its parent; `path` is where it leads. */
static void try_descriptor(struct gathering *gathering, const struct process_descriptor *descriptor,
                           struct raw_text path, enum log_source source)
{
    struct log_candidate candidate = {
        .source = source, .path = path, .position = descriptor->position};
    if (descriptor->place.length > 0)
        snprintf(candidate.place, sizeof candidate.place, "%.*s", (int)descriptor->place.length,
                 descriptor->place.bytes);
    else if (!gathering_place(gathering, path, candidate.place))
        return;
    gather_log_file(gathering, &candidate);
}

static void try_own_output(struct gathering *gathering)
{
    const struct inside *inside = gathering->place->inside;
    const struct process_files *files = &gathering->files;
    const struct gathered *gathered = &gathering->parts->gathered;
    for (size_t i = 0; i < files->open_count; i++) {
        const struct open_file *open = &files->open[i];
        bool is_output = open->fd == 1 || open->fd == 2;
        struct process_descriptor descriptor;
        if ((is_output || path_ends_folded(open->path, ".log")) &&
            inside->ops->descriptor(inside, gathering->scratch, gathered->identity.pid, open->fd,
                                    &descriptor))
            try_descriptor(gathering, &descriptor, open->path, LOG_OWN_OUTPUT);
    }
    for (size_t i = 0; i < files->socket_count && gathered->log_count == 0; i++)
        if (files->sockets[i].fd == 1 || files->sockets[i].fd == 2)
            gather_log_journal(gathering, gathered->identity.pid, files->sockets[i].inode,
                               LOG_JOURNAL);
    if (gathered->is_llama_style && gathered->flags.log_file.length > 0) {
        struct log_candidate candidate = {.source = LOG_OWN_OUTPUT};
        candidate.path = path_absolute(gathering->scratch, gathered->cwd, gathered->flags.log_file);
        if (candidate.path.bytes && gathering_place(gathering, candidate.path, candidate.place))
            gather_log_file(gathering, &candidate);
    }
}

/* A child of a router or of Ollama writes into a pipe; its parent writes the log. */
static void try_parent(struct gathering *gathering)
{
    const struct inside *inside = gathering->place->inside;
    const struct gathered *gathered = &gathering->parts->gathered;
    for (int fd = 1; fd <= 2 && gathered->parent.pid > 0; fd++) {
        uint64_t inode;
        struct process_descriptor descriptor;
        if (!inside->ops->descriptor(inside, gathering->scratch, gathered->parent.pid, fd,
                                     &descriptor))
            continue;
        struct raw_text target = descriptor.target;
        if (path_is_absolute(target) && !raw_starts_with(target, "/dev/"))
            try_descriptor(gathering, &descriptor, target, LOG_PARENT);
        else if (socket_inode_parse(target, &inode) && gathered->log_count == 0)
            gather_log_journal(gathering, gathered->parent.pid, inode, LOG_PARENT);
    }
}

/* The last name in a folder that ends in `suffix` ("" for a folder): names are dates. */
static bool newest_in(struct gathering *gathering, char place[GATHER_PATH_SIZE], const char *suffix)
{
    char **names;
    size_t count, length = strlen(place);
    root_list(gathering->place->root, gathering->scratch, place, 4096, &names, &count);
    for (size_t i = count; i-- > 0;)
        if (path_ends_folded(raw_from_string(names[i]), suffix)) {
            snprintf(place + length, GATHER_PATH_SIZE - length, "/%s", names[i]);
            return true;
        }
    return false;
}

static bool begins(struct raw_text name, const char *pattern)
{
    size_t length = strlen(pattern);
    return name.length >= length &&
           path_ends_folded((struct raw_text){name.bytes, length}, pattern);
}

/* The folder that "%NAME%/..." begins with, by the environment; *rest is what follows. */
static struct raw_text variable_folder(const struct gathered *gathered, const char **rest)
{
    char name[32];
    const char *end = strchr(*rest + 1, '%');
    snprintf(name, sizeof name, "%.*s", (int)(end - *rest - 1), *rest + 1);
    *rest = end + 2;
    return gathering_variable(gathered, name);
}

/* The log's absolute path, or its folder's where any file may be it. */
static bool place_of(struct gathering *gathering, const struct log_folder *entry,
                     struct raw_text *path)
{
    const struct gathered *gathered = &gathering->parts->gathered;
    const char *folder = entry->folder;
    struct raw_text base = {0};
    if (folder[0] == '%')
        base = variable_folder(gathered, &folder);
    else if (folder[0] != '/')
        base = strcmp(folder, ".") == 0 ? gathered->cwd : gathering_home(gathered);
    if (folder[0] != '/' && !path_is_absolute(base))
        return false;
    struct text within =
        text_format(gathering->scratch, "%s%s%s", folder, entry->file[0] ? "/" : "", entry->file);
    *path = path_absolute(gathering->scratch, base, (struct raw_text){within.utf8, within.size});
    return path->length > 0;
}

static void try_application(struct gathering *gathering)
{
    const struct gathered *gathered = &gathering->parts->gathered;
    for (size_t i = 0; i < sizeof log_folders / sizeof *log_folders; i++) {
        const struct log_folder *entry_of = &log_folders[i];
        struct log_candidate candidate = {.source = LOG_APPLICATION};
        struct raw_text path;
        if (!begins(gathered->name, entry_of->program) &&
            !begins(gathered->parent_name, entry_of->program))
            continue;
        if (!place_of(gathering, entry_of, &path) ||
            !gathering_place(gathering, path, candidate.place))
            continue;
        if (entry_of->file[0] == '\0' && (!newest_in(gathering, candidate.place, "") ||
                                          !newest_in(gathering, candidate.place, ".log")))
            continue;
        candidate.path = path_from_tree(gathering->scratch, gathering->prefix, candidate.place);
        gather_log_file(gathering, &candidate);
    }
}

void gather_logs(struct gathering *gathering)
{
    try_own_output(gathering);
    if (gathering->parts->gathered.log_count == 0)
        try_parent(gathering);
    if (gathering->parts->gathered.log_count == 0)
        try_application(gathering);
}

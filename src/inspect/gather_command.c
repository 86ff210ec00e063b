#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "inspect/gather_parts.h"
#include "inspect/path.h"
#include "os/linux/proc_stat.h"

enum {
    COMMAND_LIMIT = 128 * 1024,
    ENVIRONMENT_LIMIT = 256 * 1024,
    ANCESTORS_MAX = 3,
    PATH_SIZE = 64
};

/* What is needed of an environment. Everything else in it is nobody's business. */
static const char *const needed_prefixes[] = {"LLAMA_ARG_",
                                              "OLLAMA_MODELS=",
                                              "OLLAMA_HOST=",
                                              "CUDA_VISIBLE_DEVICES=",
                                              "CUDA_DEVICE_ORDER=",
                                              "HIP_VISIBLE_DEVICES=",
                                              "ROCR_VISIBLE_DEVICES=",
                                              "GGML_VK_VISIBLE_DEVICES=",
                                              "ONEAPI_DEVICE_SELECTOR=",
                                              "GGML_BACKEND_PATH=",
                                              "GGML_CUDA_ENABLE_UNIFIED_MEMORY=",
                                              "HF_HOME=",
                                              "HF_HUB_CACHE=",
                                              "HUGGINGFACE_HUB_CACHE=",
                                              "TRANSFORMERS_CACHE=",
                                              "LLAMA_CACHE=",
                                              "HOME=",
                                              "XDG_CACHE_HOME=",
                                              "JOURNAL_STREAM=",
                                              "RANK=",
                                              "LOCAL_RANK=",
                                              "WORLD_SIZE="};

static bool is_needed(struct raw_text variable)
{
    const char *equals = memchr(variable.bytes, '=', variable.length);
    if (!equals)
        return false;
    struct raw_text name = {variable.bytes, (size_t)(equals - variable.bytes)};
    if (path_contains(name, "key") || path_contains(name, "token"))
        return false;
    for (size_t i = 0; i < sizeof needed_prefixes / sizeof *needed_prefixes; i++)
        if (raw_starts_with(variable, needed_prefixes[i]))
            return true;
    return false;
}

static struct raw_text keep_needed(struct arena *arena, struct raw_text environment)
{
    char *kept = arena_alloc(arena, environment.length + 1);
    size_t length = 0;
    while (environment.length > 0) {
        const char *end = memchr(environment.bytes, '\0', environment.length);
        size_t size = end ? (size_t)(end - environment.bytes) : environment.length;
        struct raw_text variable = {environment.bytes, size};
        if (is_needed(variable)) {
            memcpy(kept + length, variable.bytes, size);
            length += size + 1;
            kept[length - 1] = '\0';
        }
        size += end ? 1 : 0;
        environment.bytes += size;
        environment.length -= size;
    }
    return (struct raw_text){kept, length};
}

static struct raw_text read_link(struct gathering *gathering, int64_t pid, const char *name)
{
    char path[PATH_SIZE], target[4096];
    size_t length;
    snprintf(path, sizeof path, "proc/%" PRId64 "/%s", pid, name);
    if (root_read_link(gathering->place->root, path, target, sizeof target, &length) != ROOT_OK)
        return (struct raw_text){0};
    return gathering_copy(gathering, (struct raw_text){target, length});
}

static struct raw_text read_text(struct gathering *gathering, int64_t pid, const char *name,
                                 size_t limit, struct arena *arena)
{
    char path[PATH_SIZE];
    struct raw_text content;
    snprintf(path, sizeof path, "proc/%" PRId64 "/%s", pid, name);
    enum root_result result =
        root_read_arena(gathering->place->root, arena, path, limit, &content, NULL);
    return result == ROOT_OK || result == ROOT_TRUNCATED ? content : (struct raw_text){0};
}

static struct raw_text read_name(struct gathering *gathering, int64_t pid)
{
    struct raw_text name = read_text(gathering, pid, "comm", 4096, gathering->arena);
    if (name.length > 0 && name.bytes[name.length - 1] == '\n')
        name.length--;
    return name;
}

static bool read_stat(struct gathering *gathering, int64_t pid, struct proc_stat *stat)
{
    struct raw_text text = read_text(gathering, pid, "stat", 4096, gathering->scratch);
    return text.length > 0 && proc_stat_parse(text, stat);
}

/* A process of another mount namespace or root names files that lie elsewhere for us. */
static void find_prefix(struct gathering *gathering)
{
    int64_t pid = gathering->wish->identity.pid;
    struct raw_text own, its, top;
    char path[PATH_SIZE], target[256];
    size_t length;
    gathering->prefix[0] = '\0';
    if (gathering->place->recorded)
        return;
    its = read_link(gathering, pid, "ns/mnt");
    top = read_link(gathering, pid, "root");
    snprintf(path, sizeof path, "proc/self/ns/mnt");
    if (root_read_link(gathering->place->root, path, target, sizeof target, &length) != ROOT_OK)
        return;
    own = (struct raw_text){target, length};
    if ((its.length > 0 && !path_equal(its, own)) ||
        (top.length > 0 && !raw_equal_string(top, "/")))
        snprintf(gathering->prefix, sizeof gathering->prefix, "proc/%" PRId64 "/root", pid);
}

/* The nearest ancestor that is a server of models: the parent of a runner, of a worker, of a
 * router's child. Each step is the kernel's own word. True when there is none because the process
 * was given to init, which is no server (in a container it may be one): its own has ended. */
static bool find_parent(struct gathering *gathering)
{
    struct gathered *gathered = &gathering->parts->gathered;
    struct proc_stat child, parent;
    if (!read_stat(gathering, gathered->identity.pid, &child))
        return false;
    bool adopted = child.parent_pid == 1;
    for (int i = 0; i < ANCESTORS_MAX && child.parent_pid > 0; i++) {
        int64_t pid = child.parent_pid;
        if (!read_stat(gathering, pid, &parent) || parent.start_stamp > child.start_stamp)
            return false;
        struct raw_text name = read_name(gathering, pid);
        struct raw_text executable = read_link(gathering, pid, "exe");
        struct raw_text cwd = read_link(gathering, pid, "cwd");
        struct raw_text command =
            read_text(gathering, pid, "cmdline", COMMAND_LIMIT, gathering->arena);
        enum program_family family = program_family_of(name, executable, cwd, command);
        if (program_server(family) != SERVER_NONE) {
            gathered->parent = identity_make(NAMESPACE_LOCAL, pid, parent.start_stamp);
            gathered->parent_name = name;
            gathered->parent_executable = executable;
            gathered->parent_command = command;
            gathered->parent_family = (int)family;
            return false;
        }
        child = parent;
    }
    return adopted;
}

void gather_command(struct gathering *gathering)
{
    struct gathered *gathered = &gathering->parts->gathered;
    int64_t pid = gathered->identity.pid;
    gathered->name = read_name(gathering, pid);
    gathered->executable = read_link(gathering, pid, "exe");
    gathered->cwd = read_link(gathering, pid, "cwd");
    gathered->command = read_text(gathering, pid, "cmdline", COMMAND_LIMIT, gathering->arena);
    struct raw_text environment =
        read_text(gathering, pid, "environ", ENVIRONMENT_LIMIT, gathering->scratch);
    gathered->environment_known = environment.bytes != NULL;
    if (gathered->environment_known)
        gathered->environment = keep_needed(gathering->arena, environment);
    struct raw_text rest = gathered->environment, variable;
    while (fields_next(&rest, '\0', &variable))
        gathered->has_rank |=
            raw_starts_with(variable, "RANK=") || raw_starts_with(variable, "LOCAL_RANK=");
    find_prefix(gathering);
    command_models_read(gathered->name, gathered->executable, gathered->cwd, gathered->command,
                        gathered->environment, &gathering->models);
    gathered->family = (int)gathering->models.family;
    gathered->is_llama_style = gathering->models.is_llama_style;
    gathered->flags = gathering->models.flags;
    enum program_family family = gathering->models.family;
    bool is_worker = family == PROGRAM_VLLM_WORKER || family == PROGRAM_SGLANG_WORKER ||
                     family == PROGRAM_TGI_WORKER;
    if (find_parent(gathering) && is_worker)
        gathering_note(gathering, TEXT("the server that started it has ended: it keeps its GPU "
                                       "memory until it is ended itself"));
}

#include <string.h>

#include "base/lines.h"
#include "inspect/gather_parts.h"
#include "inspect/path.h"

enum { ANCESTORS_MAX = 3 };

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
                                              "USERPROFILE=",
                                              "LOCALAPPDATA=",
                                              "APPDATA=",
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

/* The nearest ancestor that is a server of models: the parent of a runner, of a worker, of a
 * router's child. Each step is the kernel's own word. True when there is none because the process
 * was given to init, which is no server (in a container it may be one): its own has ended. */
static bool find_parent(struct gathering *gathering, const struct process_about *about)
{
    const struct inside *inside = gathering->place->inside;
    struct gathered *gathered = &gathering->parts->gathered;
    struct process_about child = *about, parent;
    bool adopted = child.parent_pid == 1;
    for (int i = 0; i < ANCESTORS_MAX && child.parent_pid > 0; i++) {
        int64_t pid = child.parent_pid;
        if (!inside->ops->about(inside, gathering->arena, pid, &parent) ||
            parent.start_stamp > child.start_stamp)
            return false;
        enum program_family family =
            program_family_of(parent.name, parent.executable, parent.cwd, parent.command);
        if (program_server(family) != SERVER_NONE) {
            gathered->parent = identity_make(NAMESPACE_LOCAL, pid, parent.start_stamp);
            gathered->parent_name = parent.name;
            gathered->parent_executable = parent.executable;
            gathered->parent_command = parent.command;
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
    const struct inside *inside = gathering->place->inside;
    int64_t pid = gathered->identity.pid;
    struct process_about about;
    inside->ops->about(inside, gathering->arena, pid, &about);
    gathered->name = about.name;
    gathered->executable = about.executable;
    gathered->cwd = about.cwd;
    gathered->command = about.command;
    struct raw_text environment = inside->ops->environment(inside, gathering->scratch, pid);
    gathered->environment_known = environment.bytes != NULL;
    if (gathered->environment_known)
        gathered->environment = keep_needed(gathering->arena, environment);
    struct raw_text rest = gathered->environment, variable;
    while (fields_next(&rest, '\0', &variable))
        gathered->has_rank |=
            raw_starts_with(variable, "RANK=") || raw_starts_with(variable, "LOCAL_RANK=");
    inside->ops->prefix(inside, pid, gathering->prefix, sizeof gathering->prefix);
    command_models_read(gathered->name, gathered->executable, gathered->cwd, gathered->command,
                        gathered->environment, &gathering->models);
    gathered->family = (int)gathering->models.family;
    gathered->is_llama_style = gathering->models.is_llama_style;
    gathered->flags = gathering->models.flags;
    enum program_family family = gathering->models.family;
    bool is_worker = family == PROGRAM_VLLM_WORKER || family == PROGRAM_SGLANG_WORKER ||
                     family == PROGRAM_TGI_WORKER;
    if (find_parent(gathering, &about) && is_worker)
        gathering_note(gathering, TEXT("the server that started it has ended: it keeps its GPU "
                                       "memory until it is ended itself"));
}

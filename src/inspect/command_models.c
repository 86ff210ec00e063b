#include "inspect/command_models.h"

#include <string.h>

#include "inspect/llama_program.h"
#include "inspect/path.h"

struct model_flag {
    enum program_family family;
    const char *flag;
    enum file_use use;
};

static const struct model_flag model_flags[] = {
#define MODEL_FLAG(family, flag, use) {PROGRAM_##family, flag, FILE_FOR_##use},
#include "inspect/model_flags.def"
#undef MODEL_FLAG
};

static void add(struct command_models *models, struct raw_text value, enum file_use use, bool known)
{
    if (value.length == 0 || models->count == COMMAND_MODELS_MAX)
        return;
    models->items[models->count++] =
        (struct command_model){.value = value, .use = use, .by_known_flag = known};
}

/* "--model-path" and "--model_path" are one flag; "--model=X" has its value with it. */
static bool flag_matches(struct raw_text argument, const char *flag, struct raw_text *glued)
{
    size_t length = strlen(flag);
    *glued = (struct raw_text){0};
    if (argument.length < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = argument.bytes[i];
        if ((i > 1 && c == '_' ? '-' : c) != flag[i])
            return false;
    }
    if (argument.length == length)
        return true;
    if (argument.bytes[length] != '=' || length < 3)
        return false;
    *glued = (struct raw_text){argument.bytes + length + 1, argument.length - length - 1};
    return true;
}

/* The first argument that is no flag, behind the script of an interpreter and the word "serve".
 * Only directly behind them: further on it might be the value of a flag. */
static struct raw_text positional(const struct raw_text *arguments, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (raw_equal_string(arguments[i], "serve")) {
            struct raw_text next = arguments[i + 1];
            return next.length > 0 && next.bytes[0] != '-' ? next : (struct raw_text){0};
        }
    return (struct raw_text){0};
}

static struct raw_text first_argument(const struct raw_text *arguments, size_t count)
{
    for (size_t i = 0; i + 1 < count && i < 3; i++)
        if (path_ends_folded(arguments[i], "trtllm-serve"))
            return arguments[i + 1].length > 0 && arguments[i + 1].bytes[0] != '-'
                       ? arguments[i + 1]
                       : (struct raw_text){0};
    return (struct raw_text){0};
}

/* "koboldcpp MODEL PORT": before any flag. */
static struct raw_text model_before_flags(const struct raw_text *arguments, size_t count)
{
    for (size_t i = 1; i < count && i < 3; i++) {
        if (arguments[i].length > 0 && arguments[i].bytes[0] == '-')
            break;
        if (path_promises_model(arguments[i]) == PATH_MODEL)
            return arguments[i];
    }
    return (struct raw_text){0};
}

/* text-generation-webui has a folder for models. */
static void set_folder(const struct raw_text *arguments, size_t count,
                       struct command_models *models)
{
    struct raw_text glued;
    for (size_t i = 1; i < count; i++)
        if (flag_matches(arguments[i], "--model-dir", &glued) && (glued.bytes || i + 1 < count))
            for (size_t k = 0; k < models->count; k++)
                models->items[k].folder = glued.bytes ? glued : arguments[i + 1];
}

static void read_table(enum program_family family, const struct raw_text *arguments, size_t count,
                       struct command_models *models)
{
    for (size_t i = 0; i < sizeof model_flags / sizeof *model_flags; i++) {
        const struct model_flag *entry = &model_flags[i];
        struct raw_text value = {0}, glued;
        if (entry->family != family)
            continue;
        if (entry->flag[0] == '\0') {
            value = family == PROGRAM_TRTLLM   ? first_argument(arguments, count)
                    : family == PROGRAM_KOBOLD ? model_before_flags(arguments, count)
                                               : positional(arguments, count);
        } else {
            for (size_t k = 1; k < count; k++)
                if (flag_matches(arguments[k], entry->flag, &glued))
                    value = glued.bytes ? glued : k + 1 < count ? arguments[k + 1] : value;
        }
        add(models, value, entry->use, true);
    }
    if (family == PROGRAM_WEBUI)
        set_folder(arguments, count, models);
}

static void read_llama(struct raw_text executable, const struct raw_text *arguments, size_t count,
                       struct raw_text environment, struct command_models *models)
{
    struct problem problem;
    models->is_llama_style = runtime_flags_parse(arguments + (count > 0), count - (count > 0),
                                                 environment, false, &models->flags, &problem);
    if (!models->is_llama_style)
        return;
    llama_program_adapt(executable, arguments, count, &models->flags);
    const struct runtime_flags *flags = &models->flags;
    add(models, flags->model.path, FILE_FOR_MODEL, true);
    add(models, flags->draft.path, FILE_FOR_DRAFT, true);
    if (!flags->no_mmproj)
        add(models, flags->mmproj, FILE_FOR_PROJECTOR, true);
    for (size_t i = 0; i < flags->lora_count; i++)
        add(models, flags->loras[i], FILE_FOR_ADAPTER, true);
}

/* A program that nobody knows: llama.cpp's flags where it was given a GGUF file as its model, and
 * whatever looks like a model file. */
static void read_unknown(struct raw_text executable, const struct raw_text *arguments, size_t count,
                         struct raw_text environment, struct command_models *models)
{
    for (size_t i = 1; i + 1 < count; i++)
        if ((raw_equal_string(arguments[i], "-m") || raw_equal_string(arguments[i], "--model")) &&
            path_ends_folded(arguments[i + 1], ".gguf")) {
            read_llama(executable, arguments, count, environment, models);
            return;
        }
    for (size_t i = 1; i < count; i++) {
        struct raw_text value = arguments[i], before, after = {0};
        const char *equals = memchr(value.bytes, '=', value.length);
        if (value.length > 0 && value.bytes[0] == '-' && equals) {
            before = (struct raw_text){value.bytes, (size_t)(equals - value.bytes)};
            after = (struct raw_text){equals + 1, value.length - before.length - 1};
            value = after;
        }
        if (path_promises_model(value) == PATH_MODEL)
            add(models, value, FILE_FOR_UNKNOWN, false);
    }
}

void command_models_read(struct raw_text name, struct raw_text executable, struct raw_text cwd,
                         struct raw_text command, struct raw_text environment,
                         struct command_models *models)
{
    struct raw_text arguments[RUNTIME_ARGUMENTS_MAX];
    size_t count = runtime_flags_split(command, arguments, RUNTIME_ARGUMENTS_MAX);

    *models = (struct command_models){.family = program_family_of(name, executable, cwd, command)};
    switch (models->family) {
    case PROGRAM_LLAMA:
        read_llama(executable, arguments, count, environment, models);
        break;
    case PROGRAM_OLLAMA_MLX:
        for (size_t i = 1; i + 1 < count; i++)
            if (raw_equal_string(arguments[i], "--model"))
                add(models, arguments[i + 1], FILE_FOR_MODEL, true);
        break;
    case PROGRAM_OTHER:
        read_unknown(executable, arguments, count, environment, models);
        break;
    case PROGRAM_OLLAMA:
    case PROGRAM_RPC:
    case PROGRAM_PROXY:
        break;
    default:
        read_table(models->family, arguments, count, models);
        break;
    }
}

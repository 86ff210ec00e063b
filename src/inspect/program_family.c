#include "inspect/command_models.h"

#include <string.h>

#include "inspect/path.h"

enum program_match {
    PROGRAM_MATCH_NAME,
    PROGRAM_MATCH_PREFIX,
    PROGRAM_MATCH_SUFFIX,
    PROGRAM_MATCH_TITLE,
    PROGRAM_MATCH_SCRIPT,
    PROGRAM_MATCH_SCRIPT_PREFIX,
    PROGRAM_MATCH_FOLDER,
};

struct program_entry {
    enum program_match match;
    const char *pattern;
    enum program_family family;
};

static const struct program_entry programs[] = {
#define PROGRAM(match, pattern, family) {PROGRAM_MATCH_##match, pattern, PROGRAM_##family},
#include "inspect/programs.def"
#undef PROGRAM
};

enum { ARGUMENTS_LOOKED_AT = 32 };

struct program_words {
    struct raw_text names[3]; /* of the executable, of argv[0], comm */
    size_t name_count;
    struct raw_text title, script, script_path, cwd;
};

static bool begins(struct raw_text raw, const char *pattern)
{
    struct raw_text start = {raw.bytes, strlen(pattern)};
    return raw.length >= start.length && path_ends_folded(start, pattern);
}

static bool equals(struct raw_text raw, const char *pattern)
{
    return raw.length == strlen(pattern) && path_ends_folded(raw, pattern);
}

static bool is_interpreter(struct raw_text name)
{
    return begins(name, "python") || begins(name, "pypy") || equals(name, "node") ||
           equals(name, "uv") || equals(name, "bash") || equals(name, "sh") ||
           equals(name, "mainthread");
}

/* The script behind an interpreter's own flags, or the module of "-m". */
static void find_script(const struct raw_text *arguments, size_t count, struct program_words *words)
{
    for (size_t i = 1; i < count; i++) {
        if (equals(arguments[i], "-m") && i + 1 < count) {
            words->script = words->script_path = arguments[i + 1];
            return;
        }
        if (equals(arguments[i], "-c"))
            return;
        if (equals(arguments[i], "-x") || equals(arguments[i], "-w")) {
            i++;
        } else if (arguments[i].length > 0 && arguments[i].bytes[0] != '-') {
            words->script_path = arguments[i];
            words->script = path_basename(arguments[i]);
            if (path_ends_folded(words->script, ".py"))
                words->script.length -= 3;
            return;
        }
    }
}

static void add_name(struct program_words *words, struct raw_text name)
{
    if (path_ends_folded(name, ".exe"))
        name.length -= strlen(".exe");
    if (name.length > 0)
        words->names[words->name_count++] = name;
}

static bool fits(const struct program_entry *entry, const struct program_words *words)
{
    switch (entry->match) {
    case PROGRAM_MATCH_TITLE:
        return begins(words->title, entry->pattern);
    case PROGRAM_MATCH_SCRIPT:
        return equals(words->script, entry->pattern);
    case PROGRAM_MATCH_SCRIPT_PREFIX:
        return begins(words->script, entry->pattern);
    case PROGRAM_MATCH_FOLDER:
        return (equals(words->script, "main") || equals(words->script, "server")) &&
               (path_contains(words->script_path, entry->pattern) ||
                (!path_is_absolute(words->script_path) &&
                 path_contains(words->cwd, entry->pattern)));
    case PROGRAM_MATCH_NAME:
    case PROGRAM_MATCH_PREFIX:
    case PROGRAM_MATCH_SUFFIX:
        break;
    }
    for (size_t i = 0; i < words->name_count; i++)
        if (entry->match == PROGRAM_MATCH_NAME ? equals(words->names[i], entry->pattern)
            : entry->match == PROGRAM_MATCH_PREFIX
                ? begins(words->names[i], entry->pattern)
                : path_ends_folded(words->names[i], entry->pattern))
            return true;
    return false;
}

enum program_family program_family_of(struct raw_text name, struct raw_text executable,
                                      struct raw_text cwd, struct raw_text command)
{
    struct raw_text arguments[ARGUMENTS_LOOKED_AT];
    size_t count = runtime_flags_split(command, arguments, ARGUMENTS_LOOKED_AT);
    struct program_words words = {.cwd = cwd};

    if (path_ends_folded(executable, " (deleted)"))
        executable.length -= strlen(" (deleted)");
    add_name(&words, path_basename(executable));
    if (count > 0)
        add_name(&words, path_basename(arguments[0]));
    add_name(&words, name);
    words.title = count > 0 ? arguments[0] : name;
    for (size_t i = 0; i < words.name_count; i++)
        if (is_interpreter(words.names[i])) {
            find_script(arguments, count, &words);
            break;
        }
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (fits(&programs[i], &words)) {
            if (programs[i].family != PROGRAM_OLLAMA || count < 2 ||
                !equals(arguments[1], "runner"))
                return programs[i].family;
            for (size_t k = 2; k < count; k++)
                if (equals(arguments[k], "--mlx-engine"))
                    return PROGRAM_OLLAMA_MLX;
            return PROGRAM_LLAMA;
        }
    return PROGRAM_OTHER;
}

enum server_kind program_server(enum program_family family)
{
    static const enum server_kind servers[PROGRAM_FAMILY_COUNT] = {
        [PROGRAM_LLAMA] = SERVER_LLAMA,   [PROGRAM_OLLAMA] = SERVER_OLLAMA,
        [PROGRAM_KOBOLD] = SERVER_KOBOLD, [PROGRAM_WHISPER] = SERVER_WHISPER,
        [PROGRAM_VLLM] = SERVER_VLLM,     [PROGRAM_SGLANG] = SERVER_SGLANG,
        [PROGRAM_TGI] = SERVER_TGI,       [PROGRAM_TABBY] = SERVER_TABBY,
        [PROGRAM_COMFY] = SERVER_COMFY,   [PROGRAM_LM_STUDIO] = SERVER_LM_STUDIO,
    };
    return servers[family];
}

/* What a command line says about models: which program this is, which files or names it was given,
 * and for what. Pure. Raw texts in, raw texts out, all pointing into what was given. */
#ifndef INSPECT_COMMAND_MODELS_H
#define INSPECT_COMMAND_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "inspect/gathered.h"

enum program_family {
    PROGRAM_OTHER,
    PROGRAM_LLAMA,  /* llama-server and its kin: runtime_flags.h */
    PROGRAM_OLLAMA, /* the server, which holds no model itself */
    PROGRAM_OLLAMA_MLX,
    PROGRAM_RPC,   /* holds layers for a client elsewhere: no model of its own */
    PROGRAM_PROXY, /* passes requests on */
    PROGRAM_KOBOLD,
    PROGRAM_SD,
    PROGRAM_WHISPER,
    PROGRAM_OPENAI_WHISPER,
    PROGRAM_VLLM,
    PROGRAM_VLLM_WORKER,
    PROGRAM_SGLANG,
    PROGRAM_SGLANG_WORKER,
    PROGRAM_TGI,
    PROGRAM_TGI_WORKER,
    PROGRAM_TRTLLM,
    PROGRAM_MLX,
    PROGRAM_LLAMA_CPP_PYTHON,
    PROGRAM_TABBY,
    PROGRAM_COMFY,
    PROGRAM_WEBUI,
    PROGRAM_LM_STUDIO,
    PROGRAM_LM_STUDIO_WORKER,
    PROGRAM_FAMILY_COUNT
};

enum { COMMAND_MODELS_MAX = 32 };

/* A model as the command line points to it: a path, or a name ("Qwen/Qwen3-8B"). */
struct command_model {
    struct raw_text value;
    enum file_use use;
    bool by_known_flag; /* false: an argument of an unknown program that looks like a model file */
    struct raw_text folder; /* that it is looked for in; empty: not said */
};

struct command_models {
    enum program_family family;
    struct command_model items[COMMAND_MODELS_MAX];
    size_t count;
    bool is_llama_style;        /* `flags` are set */
    struct runtime_flags flags; /* points into command and environment */
};

/* `command` and `environment` as in struct gathered. */
void command_models_read(struct raw_text name, struct raw_text executable, struct raw_text cwd,
                         struct raw_text command, struct raw_text environment,
                         struct command_models *models);
/* Only the family; for parents. `script` paths may be relative to `cwd`, whose name counts too. */
enum program_family program_family_of(struct raw_text name, struct raw_text executable,
                                      struct raw_text cwd, struct raw_text command);
/* Which server's words such a program speaks. */
enum server_kind program_server(enum program_family family);

#endif

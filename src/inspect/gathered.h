/* What was gathered about one process, for identification: plain facts, no policy. Made by gather.c
 * on an inspect worker, immutable from then on; everything it points to lives in its inspection's
 * arena (inspector.h).
 *
 * It holds raw bytes from outside: command lines and environments never leave inspect/. Prompts are
 * never kept. Every list is bounded; one that was cut says so. */
#ifndef INSPECT_GATHERED_H
#define INSPECT_GATHERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "inspect/runtime_flags.h"
#include "inspect/runtimes.h"
#include "reading/identity.h"
#include "reading/measured.h"
#include "snapshot/figure.h"
#include "snapshot/snapshot.h"

struct model_file;
struct load_run;

enum {
    GATHERED_FILES_MAX = 64,
    GATHERED_LOGS_MAX = 4,
    GATHERED_NAMES_MAX = 16, /* of one file */
    GATHERED_NOTES_MAX = 8,
    SERVER_MODELS_MAX = 32,
};

/* How a process has a file. */
enum file_way {
    FILE_MAPPED = 1,
    FILE_OPEN = 2,
    FILE_NAMED = 4, /* on its own command line, or in a variable that stands for a flag */
};

/* What its command line says the file is for. */
enum file_use {
    FILE_FOR_UNKNOWN,
    FILE_FOR_MODEL,
    FILE_FOR_DRAFT,
    FILE_FOR_PROJECTOR,
    FILE_FOR_ADAPTER,
    FILE_FOR_COMPONENT, /* a part of a diffusion model: VAE, text encoder */
    FILE_FOR_SPEECH,
};

/* A name under which a store knows a file: "tinyllama:latest", "some-org/Tiny-Model". */
struct store_name {
    const char *store; /* "Ollama": static */
    struct raw_text name;
    struct raw_text role; /* "model", "projector", "adapter", "draft"; bytes NULL: not said */
    struct raw_text file; /* its path within that name ("model-00001-of-00002.safetensors") */
    struct raw_text path; /* absolute, where that name leads; bytes NULL: as the file's own */
};

/* One file, once however its path is spelled and however many ways lead to it. */
struct gathered_file {
    struct raw_text path;   /* as the kernel says it, else made absolute, without "//" and "." */
    uint64_t device, inode; /* as the kernel's maps say, else of the file itself; 0, 0: unknown */
    unsigned ways;          /* enum file_way */
    enum file_use use;
    bool deleted;          /* removed while in use: whatever has its name now is another file */
    bool directory;        /* a model folder that the command line names */
    int64_t mapped_bytes;  /* address space, not memory */
    struct measured bytes; /* of the file itself */
    const struct model_file *model; /* its header; NULL: not read, `problem` says why */
    struct raw_text problem;
    const struct store_name *names; /* the one to show first */
    size_t name_count;
};

/* The run of a load log that belongs to this very process. */
struct gathered_log {
    struct raw_text path;
    const struct load_run *run;
    enum strength strength;
    const char *reason; /* static: why it is taken */
};

enum server_kind {
    SERVER_NONE,
    SERVER_LLAMA,
    SERVER_OLLAMA,
    SERVER_LM_STUDIO,
    SERVER_VLLM,
    SERVER_SGLANG,
    SERVER_TGI,
    SERVER_TABBY,
    SERVER_KOBOLD,
    SERVER_WHISPER,
    SERVER_COMFY,
    SERVER_KIND_COUNT
};

/* A model as a server's reply names it. Texts are raw; figures are HOW_REPORTED or unknown. */
struct server_model {
    struct raw_text id, path, architecture, quantization, format, kind;
    struct figure context, context_trained, parameters, weights_bytes;
    struct figure total_bytes, vram_bytes; /* Ollama's own accounting */
    int64_t expires_at_ns;                 /* wall clock; TIME_UNKNOWN; INT64_MAX: never */
    bool loaded;
};

/* What one server answered. */
struct server_state {
    enum server_kind kind; /* SERVER_NONE: nobody was asked, or nobody answered */
    int port;
    bool router;                 /* a llama-server that holds no model itself */
    bool sleeping;               /* it has unloaded its model: the weights are 0 for a fact */
    struct server_model *models; /* NULL: none; room for SERVER_MODELS_MAX */
    size_t model_count;
    struct figure slots, slots_busy, slot_context, context_used;
    struct figure requests_running, requests_waiting, kv_used_percent;
    struct figure prompt_tokens_per_second, generation_tokens_per_second;
    struct figure kv_tokens; /* room of a pre-allocated pool, of all engines together */
    struct figure kv_bytes;  /* its bytes on each GPU */
    size_t engines;          /* that said so: replicas with a pool each; 0: not told apart */
    struct raw_text version;
};

struct gathered {
    int family, parent_family;             /* enum program_family (command_models.h) */
    struct identity identity, parent;      /* parent.pid 0: none, or not proven */
    struct raw_text name, executable, cwd; /* bytes NULL: unknown */
    struct raw_text command;               /* arguments, each followed by a NUL */
    struct raw_text parent_command, parent_name, parent_executable;
    struct raw_text environment; /* NAME=VALUE, each followed by a NUL: only what is needed */
    bool is_llama_style;         /* `flags` are those of llama-server and its relatives */
    struct runtime_flags flags;
    struct raw_text training_file; /* open: an event log or run folder of a training */
    bool has_rank;                 /* started as one of a training's ranks */
    bool environment_known;
    bool files_known, files_cut; /* maps and descriptors could be read; not all of them */
    struct gathered_file *files;
    size_t file_count;
    struct runtime_found runtimes[RUNTIMES_FOUND_MAX]; /* what the mapped libraries prove */
    size_t runtime_count;
    const char *ggml_backend;   /* static; NULL: none */
    bool has_inference_library; /* one of those that load models is mapped */
    struct gathered_log logs[GATHERED_LOGS_MAX];
    size_t log_count;
    /* A model that is named, not pointed to: "Qwen/Qwen3-8B", "qwen3.5:35b-mlx"; and by what. */
    struct raw_text model_name;
    const char *model_name_by;  /* "cmdline"; NULL: none */
    struct server_state server; /* its own */
    struct server_state
        parent_server; /* of its proven parent: a runner's Ollama, a worker's vLLM */
    struct text notes[GATHERED_NOTES_MAX];
    size_t note_count;
};

#endif

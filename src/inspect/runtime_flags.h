/* The flags of llama-server and its relatives, as far as they decide which files are loaded, where
 * the bytes go and which socket is listened on. From raw arguments and the LLAMA_ARG_* twins in an
 * environment. Pure. Secrets are never kept: that there is an API key is, its value is not.
 * Spelling and defaults: llama.cpp v0.5.0 (2026-09), older spellings accepted. */
#ifndef INSPECT_RUNTIME_FLAGS_H
#define INSPECT_RUNTIME_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"
#include "reading/measured.h"

enum {
    RUNTIME_DEVICES_MAX = 16, /* what llama.cpp allows */
    RUNTIME_OVERRIDES_MAX = 32,
    RUNTIME_LORAS_MAX = 8,
    RUNTIME_ARGUMENTS_MAX = 512, /* further ones are not looked at */
};

enum gpu_layers_wish { GPU_LAYERS_UNSET, GPU_LAYERS_NUMBER, GPU_LAYERS_AUTO, GPU_LAYERS_ALL };
enum split_mode { SPLIT_LAYER, SPLIT_NONE, SPLIT_ROW, SPLIT_TENSOR };
enum load_mode { LOAD_MMAP, LOAD_NONE, LOAD_MLOCK, LOAD_DIO };
enum wish { WISH_UNSET, WISH_OFF, WISH_ON, WISH_AUTO };
enum cache_type {
    CACHE_F16, /* the default */
    CACHE_F32,
    CACHE_BF16,
    CACHE_Q8_0,
    CACHE_Q4_0,
    CACHE_Q4_1,
    CACHE_IQ4_NL,
    CACHE_Q5_0,
    CACHE_Q5_1,
    CACHE_TYPE_COUNT
};
const char *cache_type_name(enum cache_type type);
/* Values a block, bytes a block. */
int64_t cache_type_block(enum cache_type type);
int64_t cache_type_block_bytes(enum cache_type type);

/* -ot PATTERN=BUFFER; CPU or a device's name. */
struct tensor_override {
    struct raw_text pattern, buffer;
};

/* What one model of the process is loaded with: the main one or the draft. */
struct load_flags {
    struct raw_text path; /* none: not given */
    enum gpu_layers_wish gpu_layers_wish;
    int64_t gpu_layers;
    int64_t context; /* 0: from the model */
    bool context_given;
    enum cache_type cache_k, cache_v;
    struct raw_text devices[RUNTIME_DEVICES_MAX]; /* -dev; "none" gives devices_none */
    size_t device_count;
    bool devices_none;
    struct tensor_override overrides[RUNTIME_OVERRIDES_MAX];
    size_t override_count;
    bool cpu_moe;
    int64_t cpu_moe_layers, cpu_ffn_layers; /* --n-cpu-moe, --n-cpu-ffn; 0: none */
};

struct runtime_flags {
    struct load_flags model, draft;
    struct raw_text hf_repo, hf_file, url, alias, models_dir;
    struct raw_text mmproj, mmproj_device, log_file;
    struct raw_text loras[RUNTIME_LORAS_MAX];
    size_t lora_count;
    struct raw_text control_vector;
    bool no_mmproj, mmproj_offload; /* offload is the default */

    int64_t slots;        /* -np; 0: not given */
    int64_t slot_context; /* --kv-unified-per-slot; 0: not given */
    enum wish kv_unified, flash_attention, fit;
    int64_t batch, ubatch; /* defaults filled in: 2048, 512 */
    bool swa_full, no_kv_offload, no_op_offload, no_repack;
    double tensor_split[RUNTIME_DEVICES_MAX];
    size_t tensor_split_count; /* 0: by free memory */
    enum split_mode split_mode;
    int64_t main_gpu;
    enum load_mode load_mode;
    struct raw_text rpc;                   /* "host:port,host:port" */
    int64_t fit_target_bytes, fit_context; /* 1 GiB, 4096 */
    struct raw_text speculative_type;      /* --spec-type */
    int64_t draft_max;                     /* tokens drafted at once; 3 when not given */
    bool embedding, reranking;

    struct raw_text host; /* none: 127.0.0.1; ends in .sock: a unix socket */
    int64_t port;         /* 8080 when not given */
    bool port_given;
    bool has_api_key, has_api_key_file;
    bool metrics, no_slots, log_disabled;
    int64_t log_verbosity; /* -1: not given */

    /* Not flags, but what the form of the command line tells (llama_program.h). */
    int64_t build;   /* of llama.cpp, about; 0: not told */
    bool sent_later; /* layers, context and cache come over its socket */
};

/* Everything the struct refers to lies in `argv` and `environment`, which must outlive it. `argv`
 * without the program's own name. `environment`: NAME=VALUE words, each followed by NUL; bytes NULL
 * when there is none; a flag wins over its twin. Unknown flags are passed over when `strict` is
 * false (a process that runs was accepted by its own runtime); with `strict` an unknown flag, a
 * value that does not parse or a combination that llama.cpp refuses whatever the model is false
 * with the runtime's reason in *problem. */
bool runtime_flags_parse(const struct raw_text *argv, size_t count, struct raw_text environment,
                         bool strict, struct runtime_flags *flags, struct problem *problem);
/* Splits arguments that are each followed by a NUL; returns how many were found. */
size_t runtime_flags_split(struct raw_text command, struct raw_text *argv, size_t limit);
/* The API key in these arguments (the first of several), for the server that was started with them
 * and nobody else; length 0: none. Points into argv or environment. Never store it. */
struct raw_text runtime_flags_api_key(const struct raw_text *argv, size_t count,
                                      struct raw_text environment);
/* Slots and unified KV as llama-server (2026) fills them in: -np not given is 4 slots, unified. */
int64_t runtime_flags_slots(const struct runtime_flags *flags);
bool runtime_flags_unified(const struct runtime_flags *flags);

#endif

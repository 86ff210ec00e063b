/* What the header of a model file says: read without loading it, in at most 1 MiB of memory, never
 * trusting a count or a length. Formats: GGUF v1 to v3 (split and big-endian too), safetensors (and
 * its index), PyTorch zip and legacy pickle, ONNX, TensorRT engines, whisper.cpp and older ggml
 * files. Facts: reference of the formats in docs/model-files.md. */
#ifndef INSPECT_FILES_MODEL_FILE_H
#define INSPECT_FILES_MODEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/problem.h"
#include "base/text.h"
#include "inspect/files/byte_source.h"
#include "reading/measured.h"
#include "snapshot/snapshot.h"

enum model_format {
    FORMAT_UNKNOWN,
    FORMAT_GGUF,
    FORMAT_SAFETENSORS,
    FORMAT_PYTORCH_ZIP,
    FORMAT_PYTORCH_PICKLE, /* legacy: one pickle, nothing readable without running it */
    FORMAT_ONNX,
    FORMAT_TENSORRT,
    FORMAT_WHISPER_GGML,
    FORMAT_GGML_OLD, /* ggjt, ggmf, ggla: before GGUF */
    FORMAT_TFLITE,
    FORMAT_CTRANSLATE2,
    FORMAT_COUNT
};
const char *model_format_name(enum model_format format); /* "gguf" */

/* What a file is beyond the kind a snapshot has. */
enum model_role {
    ROLE_MODEL,
    ROLE_VOCABULARY, /* a tokenizer without weights */
    ROLE_IMATRIX,    /* importance matrix: no model */
    ROLE_LORA,
    ROLE_CONTROL_VECTOR,
    ROLE_PROJECTOR,
};

/* Where llama.cpp puts a tensor. */
enum tensor_group {
    GROUP_INPUT,  /* token embeddings: always host memory */
    GROUP_OUTPUT, /* the output layer: norm and head */
    GROUP_LAYER,  /* blk.N.* */
    GROUP_SHARED, /* used by all layers; follows layer 0 */
};

enum {
    MODEL_LAYERS_MAX = 512,   /* what llama.cpp allows */
    MODEL_TENSORS_MAX = 8192, /* kept by name; further ones only count */
    MODEL_WARNINGS_MAX = 8,
    TENSOR_NAME_MAX = 63, /* bytes; llama.cpp's limit */
    TENSOR_BLOCK_COUNT = 128,
};

struct model_tensor {
    const char *name; /* as it stands in the file, NUL-terminated, not terminal-safe */
    int64_t bytes;
    int64_t offset; /* in its part of the file, from the start of the data */
    int16_t part;   /* of a split file, from 0 */
    int16_t layer;  /* of GROUP_LAYER, otherwise -1 */
    uint8_t group;  /* enum tensor_group */
    bool expert;    /* a routed expert's matrix: what --cpu-moe moves */
    bool repacks;   /* a matrix that the CPU backend rearranges into a copy of its own */
};

struct model_tensor_block {
    struct model_tensor items[TENSOR_BLOCK_COUNT];
    size_t count;
    struct model_tensor_block *next;
};

struct layer_bytes {
    int64_t bytes; /* experts included */
    int64_t expert_bytes;
};

/* A key that is one number for all layers or one a layer. */
struct layer_numbers {
    bool known;
    int64_t all;          /* while items is NULL */
    const int32_t *items; /* NULL: `all` holds for every layer */
    size_t count;
};
/* The number of a layer; `fallback` when it is unknown or the list is too short. */
int64_t layer_number(const struct layer_numbers *numbers, int64_t layer, int64_t fallback);

/* The keys that decide the KV cache, the recurrent state and the compute buffers. -1: not given. */
struct model_shape {
    int64_t layers;       /* block_count: next-token-prediction layers included */
    int64_t nextn_layers; /* the last ones of `layers`; 0 when not given */
    int64_t context_trained, embedding, vocabulary;
    struct layer_numbers heads, kv_heads, feed_forward;
    int64_t key_length, value_length, key_length_swa, value_length_swa;
    int64_t key_length_mla, value_length_mla, kv_lora_rank;
    int64_t sliding_window;
    struct layer_numbers sliding_pattern; /* a period, or one flag a layer */
    int64_t shared_kv_layers, full_attention_interval;
    struct layer_numbers recurrent_layers; /* one flag a layer */
    int64_t ssm_conv_kernel, ssm_inner_size, ssm_state_size, ssm_groups;
    int64_t wkv_head_size, token_shift_count, shortconv_cache, kda_head_dim;
    int64_t indexer_heads, indexer_key_length;
    int64_t experts, experts_used, expert_feed_forward, leading_dense_layers;
    int64_t causal, pooling; /* causal 0 or 1 */
};

struct model_file {
    enum model_format format;
    enum model_role role;
    enum model_kind kind;
    struct text name;              /* what the file says of itself, else none */
    struct text architecture;      /* none when the file does not say */
    struct text quantization;      /* "Q4_K_M"; none when unknown */
    struct text detail;            /* producer, spec name: for a person; none */
    int64_t file_bytes;            /* all parts found */
    struct measured weights_bytes; /* all tensors; unknown where a type or a part is */
    int64_t weights_known_bytes; /* what is certain: a lower bound while weights_bytes is unknown */
    struct measured parameters;
    struct model_shape shape;

    int64_t input_bytes, output_bytes, shared_bytes;
    const struct layer_bytes *layers; /* shape.layers of them, at most MODEL_LAYERS_MAX */
    size_t layer_count;
    int64_t tied_bytes; /* token embeddings that serve as output matrix too: loaded once more with
                           the output layer; 0 when the file has its own */

    uint64_t tensor_count;
    const struct model_tensor_block *tensors; /* by name, for -ot; NULL when there is no table */
    bool tensors_kept;                        /* every one is in the blocks */

    int64_t parts, parts_missing; /* 1 and 0 for a whole file */
    bool incomplete;              /* shorter than its own table says: still being downloaded */
    bool big_endian;
    int64_t version; /* of the format; -1 */
    struct text warnings[MODEL_WARNINGS_MAX];
    size_t warning_count;
};

/* Reads the header of `path` and of the files that belong to it. Everything the result points to is
 * in the arena. False: this is no model file, or a hostile one; *problem says in one line why. A
 * damaged file of which something is certain is true with warnings. */
bool model_file_read(const struct byte_opener *opener, const char *path, struct arena *arena,
                     struct model_file *file, struct problem *problem);

/* One tensor after the other; NULL at the end. Start with a zeroed cursor. */
struct tensor_cursor {
    const struct model_tensor_block *block;
    size_t at;
    bool started;
};
const struct model_tensor *model_file_next_tensor(const struct model_file *file,
                                                  struct tensor_cursor *cursor);

#endif

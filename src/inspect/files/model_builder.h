/* Puts a struct model_file together while a header is read: tensors into groups and layers,
 * warnings, totals. Private to inspect/files. */
#ifndef INSPECT_FILES_MODEL_BUILDER_H
#define INSPECT_FILES_MODEL_BUILDER_H

#include "inspect/files/model_file.h"

struct model_builder {
    struct model_file *file;
    struct arena *arena;
    struct model_tensor_block *last;
    bool keeps_names;  /* tensors are kept in blocks: GGUF, for -ot */
    size_t kept;       /* tensors in blocks */
    size_t name_bytes; /* of kept names */
    int64_t parameters;
    bool parameters_known;
    bool weights_known; /* every size so far */
    bool has_output, has_layers, has_classifier, has_diffusion, has_lora;
    int64_t named_layers; /* highest number behind "layers." or "blocks." + 1 (not GGUF) */
    int64_t token_embedding_bytes;
    int64_t layer_limit; /* highest layer seen + 1 */
    struct layer_bytes layers[MODEL_LAYERS_MAX];
    /* Bytes by type of the tensors with two dimensions and more: the type that holds most. */
    int64_t type_bytes[64];
    uint64_t names_seen[MODEL_TENSORS_MAX * 2]; /* hashes, to find a name that comes twice */
};

/* `file` is cleared. */
void model_builder_start(struct model_builder *builder, struct arena *arena,
                         struct model_file *file);
/* One tensor. bytes -1 or elements -1: unknown, and so is the total then. `type`: index into
 * type_bytes, or -1. False: the total passes 2^63. */
bool model_builder_add(struct model_builder *builder, const char *name, size_t length,
                       int64_t elements, int64_t bytes, int type, size_t dimensions);
/* Where the tensor that was just added lies, and whether it is rearranged on x86 CPUs. */
void model_builder_locate(struct model_builder *builder, int64_t offset, int64_t part,
                          bool repacks);
/* A warning for a person; more than MODEL_WARNINGS_MAX, or twice the same, are passed over. */
void model_builder_warn(struct model_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Totals, layers and the tied output matrix. */
void model_builder_finish(struct model_builder *builder);

#endif

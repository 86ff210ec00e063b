/* The other formats, one function each: recognised and sized from their heads. Private to
 * inspect/files. All fill *file (cleared by model_builder_start()) or say why not. */
#ifndef INSPECT_FILES_FORMATS_H
#define INSPECT_FILES_FORMATS_H

#include "inspect/files/model_builder.h"

/* What a reader works with. */
struct format_call {
    const struct byte_opener *opener;
    const char *path;
    const struct byte_source *source;
    struct arena *arena;
    struct model_file *file;
    struct model_builder *builder; /* started */
};

/* safetensors: one file, or every part of the set that `path` belongs to. */
bool safetensors_read(const struct format_call *call, struct problem *problem);
/* model.safetensors.index.json: the set it lists. */
bool safetensors_index_read(const struct format_call *call, struct problem *problem);
/* config.json beside the file: architecture, layers, heads, context, quantization. Nothing happens
 * when there is none. */
void hf_config_read(const struct format_call *call);
/* PyTorch's zip: the central directory only; nothing is unpickled. */
bool pytorch_zip_read(const struct format_call *call, struct problem *problem);
bool onnx_read(const struct format_call *call, struct problem *problem);
bool whisper_ggml_read(const struct format_call *call, struct problem *problem);
bool ctranslate2_read(const struct format_call *call, struct problem *problem);

/* `name` in the folder of `path`; false when it does not fit. */
bool sibling_path(const char *path, const char *name, char *out, size_t size);
bool path_has_ending(const char *path, const char *suffix); /* ASCII case does not count */
/* "NAME-00001-of-00003SUFFIX" for part 0 of 3, from any part's path: 5 digits each. *part and
 * *parts are what `path` itself says. False when it is not named so. */
bool part_of(const char *path, const char *suffix, int64_t *part, int64_t *parts);
bool part_path(const char *path, const char *suffix, int64_t part, int64_t parts, char *out,
               size_t size);

#endif

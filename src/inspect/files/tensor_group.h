/* Which part of a model a tensor belongs to, by its name in GGUF. Pure. */
#ifndef INSPECT_FILES_TENSOR_GROUP_H
#define INSPECT_FILES_TENSOR_GROUP_H

#include <stddef.h>

#include "inspect/files/model_file.h"

/* group, layer and expert are filled; `architecture` may be none; a layer beyond MODEL_LAYERS_MAX
 * counts as shared. */
struct model_tensor tensor_classify(const char *name, size_t length, struct text architecture);
/* The dense counterpart of an expert's matrix: .ffn_up., .ffn_down., .ffn_gate. (what --n-cpu-ffn
 * moves). */
bool tensor_is_dense_ffn(const char *name);

#endif

/* The number formats of ggml and how many bytes they take. Pure. */
#ifndef INSPECT_FILES_TENSOR_TYPE_H
#define INSPECT_FILES_TENSOR_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tensor_type {
    const char *name;
    int32_t block; /* values; a row is whole blocks */
    int32_t bytes; /* a block */
};

enum { TENSOR_TYPE_LIMIT = 43 };

/* NULL: removed, newer than the table, or a fork's. */
const struct tensor_type *tensor_type(uint32_t id);
/* True where llama.cpp's CPU backend (x86, 2026) keeps a rearranged copy of matrices of this type.
 */
bool tensor_type_repacks(uint32_t id);
/* Label of general.file_type ("Q4_K_M"); NULL: unknown. */
const char *file_type_label(uint64_t file_type);

enum tensor_size_result {
    TENSOR_SIZE_KNOWN,
    TENSOR_SIZE_UNKNOWN_TYPE, /* elements are right, bytes are not known */
    TENSOR_SIZE_NEGATIVE,     /* a dimension of 2^63 or more */
    TENSOR_SIZE_OVERFLOW,
    TENSOR_SIZE_NO_WHOLE_BLOCKS, /* the row is no multiple of the block */
};

/* Elements and bytes of a tensor of `dimensions` (row length first). */
enum tensor_size_result tensor_size(uint32_t type, const uint64_t *dimensions, size_t count,
                                    int64_t *elements, int64_t *bytes);

#endif

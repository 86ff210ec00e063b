#include "inspect/files/tensor_type.h"

#include "base/number.h"

static const struct tensor_type types[TENSOR_TYPE_LIMIT] = {
#define TENSOR_TYPE(id, name_, block_, bytes_)                                                     \
    [id] = {.name = name_, .block = block_, .bytes = bytes_},
#include "inspect/files/tensor_types.def"
#undef TENSOR_TYPE
};

const struct tensor_type *tensor_type(uint32_t id)
{
    return id < TENSOR_TYPE_LIMIT && types[id].name ? &types[id] : NULL;
}

bool tensor_type_repacks(uint32_t id)
{
    enum { Q4_0 = 2, Q4_K = 12, IQ4_NL = 20, MXFP4 = 39 };
    return id == Q4_0 || id == Q4_K || id == IQ4_NL || id == MXFP4;
}

const char *file_type_label(uint64_t file_type)
{
    static const struct {
        uint64_t id;
        const char *label;
    } labels[] = {
#define FILE_TYPE(id, label) {id, label},
#include "inspect/files/file_types.def"
#undef FILE_TYPE
    };
    enum { GUESSED = 1024 };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (labels[i].id == (file_type & ~(uint64_t)GUESSED)) {
            return labels[i].label;
        }
    }
    return NULL;
}

enum tensor_size_result tensor_size(uint32_t type, const uint64_t *dimensions, size_t count,
                                    int64_t *elements, int64_t *bytes)
{
    const struct tensor_type *info = tensor_type(type);
    int64_t product = 1;
    *elements = *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (dimensions[i] > INT64_MAX) {
            return TENSOR_SIZE_NEGATIVE;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!number_multiply_i64(product, (int64_t)dimensions[i], &product)) {
            return TENSOR_SIZE_OVERFLOW;
        }
    }
    *elements = product;
    if (!info) {
        return TENSOR_SIZE_UNKNOWN_TYPE;
    }
    if ((count ? dimensions[0] : 1) % (uint64_t)info->block != 0) {
        return TENSOR_SIZE_NO_WHOLE_BLOCKS;
    }
    return number_multiply_i64(product / info->block, info->bytes, bytes) ? TENSOR_SIZE_KNOWN
                                                                          : TENSOR_SIZE_OVERFLOW;
}

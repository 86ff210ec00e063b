#include "inspect/files/gguf.h"

#include <string.h>

/* More than this of keys is no model's: llama.cpp's largest vocabularies take a few MiB. */
enum { METADATA_READ_MAX = 512 * 1024 * 1024, VOCABULARY_MAX = 1 << 22 };

/* Bytes of a number; 0: no number. */
static size_t type_size(uint32_t type)
{
    static const unsigned char sizes[GGUF_TYPE_COUNT] = {
        [GGUF_U8] = 1,  [GGUF_I8] = 1,  [GGUF_U16] = 2, [GGUF_I16] = 2,
        [GGUF_U32] = 4, [GGUF_I32] = 4, [GGUF_F32] = 4, [GGUF_BOOL] = 1,
        [GGUF_U64] = 8, [GGUF_I64] = 8, [GGUF_F64] = 8,
    };
    return type < GGUF_TYPE_COUNT ? sizes[type] : 0;
}

bool gguf_past_the_end(struct problem *problem, const char *what)
{
    return problem_set(problem, "damaged GGUF file: %s reaches past the end of the file", what);
}

bool gguf_read_length(struct gguf *gguf, uint64_t *length)
{
    uint32_t narrow = 0;
    if (gguf->version >= 2) {
        return byte_stream_u64(&gguf->stream, length);
    }
    bool read = byte_stream_u32(&gguf->stream, &narrow);
    *length = narrow;
    return read;
}

/* A whole number from 0 to 2^31, what every key that matters holds; otherwise -1. */
static bool read_integer(struct gguf *gguf, uint32_t type, int64_t *integer)
{
    struct byte_stream *stream = &gguf->stream;
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    bool read;
    switch (type_size(type)) {
    case 1:
        read = byte_stream_u8(stream, &u8);
        u64 = type == GGUF_I8 ? (uint64_t)(int8_t)u8 : u8;
        break;
    case 2:
        read = byte_stream_u16(stream, &u16);
        u64 = type == GGUF_I16 ? (uint64_t)(int16_t)u16 : u16;
        break;
    case 4:
        read = byte_stream_u32(stream, &u32);
        u64 = type == GGUF_I32 ? (uint64_t)(int32_t)u32 : u32;
        break;
    default:
        read = byte_stream_u64(stream, &u64);
        break;
    }
    bool whole = type != GGUF_F32 && type != GGUF_F64 && u64 <= (uint64_t)1 << 31;
    *integer = whole ? (int64_t)u64 : -1;
    return read;
}

static bool read_string(struct gguf *gguf, struct problem *problem)
{
    struct gguf_value *value = &gguf->value;
    uint64_t length;
    if (!gguf_read_length(gguf, &length) || length > (uint64_t)byte_stream_left(&gguf->stream)) {
        return gguf_past_the_end(problem, "a string");
    }
    value->string_length = length < GGUF_VALUE_KEPT ? (size_t)length : GGUF_VALUE_KEPT;
    return (byte_stream_take(&gguf->stream, value->string, value->string_length) &&
            byte_stream_skip(&gguf->stream, length - value->string_length)) ||
           gguf_past_the_end(problem, "a string");
}

/* Passes over the strings of a vocabulary: their lengths are read where they lie in the buffer. */
static bool skip_strings(struct gguf *gguf, uint64_t count)
{
    struct byte_stream *stream = &gguf->stream;
    size_t head = gguf->version >= 2 ? 8 : 4;
    while (count > 0) {
        size_t available, at = 0;
        const unsigned char *bytes = byte_stream_peek(stream, &available);
        while (bytes && count > 0 && available - at >= head) {
            uint64_t length = head == 8 ? little_u64(bytes + at) : little_u32(bytes + at);
            if (stream->swaps) {
                length =
                    head == 8 ? __builtin_bswap64(length) : __builtin_bswap32((uint32_t)length);
            }
            if (length > available - at - head) {
                break;
            }
            at += head + (size_t)length;
            count--;
        }
        stream->position += (int64_t)at;
        if (at == 0) { /* it lies across the end of the buffer, or of the file */
            uint64_t length;
            if (!gguf_read_length(gguf, &length) || !byte_stream_skip(stream, length)) {
                return false;
            }
            count--;
        }
        if (stream->bytes_read > METADATA_READ_MAX) {
            return false;
        }
    }
    return true;
}

static bool read_items(struct gguf *gguf)
{
    struct gguf_value *value = &gguf->value;
    value->items_known = true;
    for (uint64_t i = 0; i < value->count; i++) {
        int64_t item;
        if (!read_integer(gguf, value->element_type, &item)) {
            return false;
        }
        value->items_known &= item >= 0 && item <= INT32_MAX;
        value->items[i] = item >= 0 && item <= INT32_MAX ? (int32_t)item : 0;
    }
    return true;
}

static bool read_array(struct gguf *gguf, bool keep_items, struct problem *problem)
{
    struct gguf_value *value = &gguf->value;
    if (!byte_stream_u32(&gguf->stream, &value->element_type) ||
        !gguf_read_length(gguf, &value->count)) {
        return gguf_past_the_end(problem, "a list");
    }
    bool strings = value->element_type == GGUF_STRING;
    size_t size = strings ? gguf->version >= 2 ? 8 : 4 : type_size(value->element_type);
    if (size == 0) {
        return problem_set(problem,
                           value->element_type == GGUF_ARRAY
                               ? "damaged GGUF file: a list of lists, which no runtime reads"
                               : "damaged GGUF file: a list of an unknown type");
    }
    if (value->count > (uint64_t)byte_stream_left(&gguf->stream) / size) {
        /* A vocabulary that is cut off is a download in progress, anything larger a lie. */
        gguf->cut = strings && value->count <= VOCABULARY_MAX;
        return gguf_past_the_end(problem, "a list");
    }
    bool read;
    if (strings) {
        read = skip_strings(gguf, value->count);
    } else if (keep_items && value->count <= MODEL_LAYERS_MAX) {
        read = read_items(gguf);
    } else {
        read = byte_stream_skip(&gguf->stream, value->count * size);
    }
    if (!read) {
        gguf->cut = true;
        return gguf_past_the_end(problem, "a list");
    }
    return true;
}

bool gguf_read_value(struct gguf *gguf, uint32_t type, bool keep_items, struct problem *problem)
{
    struct gguf_value *value = &gguf->value;
    value->type = type;
    value->integer = -1;
    value->string_length = 0;
    value->count = 0;
    value->items_known = false;
    if (type == GGUF_STRING) {
        return read_string(gguf, problem);
    }
    if (type == GGUF_ARRAY) {
        return read_array(gguf, keep_items, problem);
    }
    if (type_size(type) == 0) {
        return problem_set(problem, "damaged GGUF file: a value of the unknown type %u", type);
    }
    return read_integer(gguf, type, &value->integer) || gguf_past_the_end(problem, "a value");
}

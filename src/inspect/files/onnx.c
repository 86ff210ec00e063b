#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/number.h"
#include "inspect/files/byte_stream.h"
#include "inspect/files/formats.h"

/* Protocol buffers' wire types, and field numbers of onnx.proto (IR version 10). */
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
enum { MODEL_PRODUCER = 2, MODEL_PRODUCER_VERSION = 3, MODEL_GRAPH = 7 };
enum { GRAPH_INITIALIZER = 5 };
enum {
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_RAW_DATA = 9,
    TENSOR_EXTERNAL = 13,
    TENSOR_LOCATION = 14
};
enum { TEXT_KEPT = 128, FIELDS_MAX = 1 << 22 };

struct onnx {
    const struct format_call *call;
    struct byte_stream stream;
    char producer[TEXT_KEPT], producer_version[TEXT_KEPT];
    uint64_t fields; /* seen so far: bounds the work */
};

struct onnx_field {
    uint64_t number, wire;
    uint64_t value; /* of WIRE_VARINT; length of WIRE_BYTES */
};

static bool damaged(struct problem *problem)
{
    return problem_set(problem, "damaged ONNX file: its fields reach past its end");
}

static bool read_varint(struct byte_stream *stream, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte;
        if (!byte_stream_u8(stream, &byte)) {
            return false;
        }
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return true;
        }
    }
    return false;
}

/* The next field in front of `end`: a number is read, of bytes only the length. */
static bool read_field(struct onnx *onnx, int64_t end, struct onnx_field *field)
{
    struct byte_stream *stream = &onnx->stream;
    uint64_t tag;
    if (++onnx->fields > FIELDS_MAX || !read_varint(stream, &tag)) {
        return false;
    }
    field->number = tag >> 3;
    field->wire = tag & 7;
    field->value = 0;
    switch (field->wire) {
    case WIRE_VARINT:
        return read_varint(stream, &field->value) && stream->position <= end;
    case WIRE_64:
        field->value = 8;
        break;
    case WIRE_32:
        field->value = 4;
        break;
    case WIRE_BYTES:
        if (!read_varint(stream, &field->value)) {
            return false;
        }
        break;
    default:
        return false;
    }
    return field->number > 0 && stream->position <= end &&
           field->value <= (uint64_t)(end - stream->position);
}

static bool skip_field(struct onnx *onnx, const struct onnx_field *field)
{
    return field->wire == WIRE_VARINT || byte_stream_skip(&onnx->stream, field->value);
}

static bool take_text(struct onnx *onnx, const struct onnx_field *field, char out[TEXT_KEPT])
{
    size_t kept = field->value < TEXT_KEPT - 1 ? (size_t)field->value : TEXT_KEPT - 1;
    out[kept] = '\0';
    return field->wire == WIRE_BYTES && byte_stream_take(&onnx->stream, out, kept) &&
           byte_stream_skip(&onnx->stream, field->value - kept);
}

struct initializer {
    int64_t elements, bytes;
    uint64_t type;
    bool has_data, is_external, absurd;
    size_t dimensions;
};

/* Bytes of TensorProto.DataType; 0: strings or unknown; sub-byte types count two values a byte. */
static int64_t type_bits(uint64_t type)
{
    static const unsigned char bits[] = {0,  32, 8,  8,   16, 16, 32, 64, 0, 8, 16, 64,
                                         32, 64, 64, 128, 16, 8,  8,  8,  8, 4, 4,  4};
    return type < sizeof bits ? bits[type] : 0;
}

static void count_dimension(struct initializer *tensor, uint64_t value)
{
    tensor->dimensions++;
    if (value > INT64_MAX ||
        !number_multiply_i64(tensor->elements, (int64_t)value, &tensor->elements)) {
        tensor->absurd = true;
    }
}

static bool read_dimensions(struct onnx *onnx, const struct onnx_field *field,
                            struct initializer *tensor)
{
    if (field->wire == WIRE_VARINT) {
        count_dimension(tensor, field->value);
        return true;
    }
    int64_t end = onnx->stream.position + (int64_t)field->value;
    while (field->wire == WIRE_BYTES && onnx->stream.position < end) {
        uint64_t value;
        if (++onnx->fields > FIELDS_MAX || !read_varint(&onnx->stream, &value)) {
            return false;
        }
        count_dimension(tensor, value);
    }
    return onnx->stream.position == end;
}

static bool read_initializer(struct onnx *onnx, int64_t end, struct initializer *tensor)
{
    struct onnx_field field;
    *tensor = (struct initializer){.elements = 1};
    while (onnx->stream.position < end) {
        if (!read_field(onnx, end, &field)) {
            return false;
        }
        if (field.number == TENSOR_DIMS) {
            if (!read_dimensions(onnx, &field, tensor)) {
                return false;
            }
            continue;
        }
        if (field.number == TENSOR_DATA_TYPE && field.wire == WIRE_VARINT) {
            tensor->type = field.value;
        } else if (field.number == TENSOR_LOCATION && field.wire == WIRE_VARINT) {
            tensor->is_external = field.value == 1;
        } else if (field.number == TENSOR_RAW_DATA && field.wire == WIRE_BYTES) {
            tensor->has_data = true;
            tensor->bytes = (int64_t)field.value;
        }
        if (!skip_field(onnx, &field)) {
            return false;
        }
    }
    return true;
}

/* Without raw data the values are in typed fields or outside: their bytes follow from the shape. */
static bool add_initializer(struct onnx *onnx, const struct initializer *tensor)
{
    int64_t bits = 0, bytes = tensor->bytes;
    bool known = tensor->has_data;
    if (!known && !tensor->absurd && type_bits(tensor->type) > 0 &&
        number_multiply_i64(tensor->elements, type_bits(tensor->type), &bits)) {
        known = true;
        bytes = bits / 8 + (bits % 8 != 0);
    }
    if (tensor->is_external) {
        model_builder_warn(onnx->call->builder, "weights are in a file beside it");
    }
    return model_builder_add(onnx->call->builder, "", 0, tensor->absurd ? -1 : tensor->elements,
                             known ? bytes : -1, -1, tensor->dimensions);
}

static bool read_graph(struct onnx *onnx, int64_t end)
{
    struct onnx_field field;
    while (onnx->stream.position < end) {
        if (!read_field(onnx, end, &field)) {
            return false;
        }
        if (field.number == GRAPH_INITIALIZER && field.wire == WIRE_BYTES) {
            struct initializer tensor;
            if (!read_initializer(onnx, onnx->stream.position + (int64_t)field.value, &tensor) ||
                !add_initializer(onnx, &tensor)) {
                return false;
            }
        } else if (!skip_field(onnx, &field)) {
            return false;
        }
    }
    return true;
}

static bool read_model(struct onnx *onnx)
{
    struct onnx_field field;
    int64_t end = onnx->stream.end;
    while (onnx->stream.position < end) {
        if (!read_field(onnx, end, &field)) {
            return false;
        }
        bool read;
        if (field.number == MODEL_PRODUCER) {
            read = take_text(onnx, &field, onnx->producer);
        } else if (field.number == MODEL_PRODUCER_VERSION) {
            read = take_text(onnx, &field, onnx->producer_version);
        } else if (field.number == MODEL_GRAPH && field.wire == WIRE_BYTES) {
            read = read_graph(onnx, onnx->stream.position + (int64_t)field.value);
        } else {
            read = skip_field(onnx, &field);
        }
        if (!read) {
            return false;
        }
    }
    return true;
}

bool onnx_read(const struct format_call *call, struct problem *problem)
{
    struct onnx *onnx = memory_new(sizeof *onnx);
    struct model_file *file = call->file;
    onnx->call = call;
    byte_stream_start(&onnx->stream, call->source, 0);
    file->format = FORMAT_ONNX;
    file->file_bytes = call->source->size;
    bool read = read_model(onnx) || damaged(problem);
    if (read) {
        char line[TEXT_KEPT * 2 + 2];
        int used = snprintf(line, sizeof line, "%s%s%s", onnx->producer,
                            onnx->producer_version[0] ? " " : "", onnx->producer_version);
        if (used > 0 && line[0]) {
            file->detail = text_from_raw(call->arena, (struct raw_text){line, (size_t)used});
        }
        call->builder->weights_known &= file->tensor_count > 0;
        call->builder->parameters_known &= file->tensor_count > 0;
    }
    free(onnx);
    return read;
}

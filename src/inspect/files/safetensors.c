#include <string.h>

#include "base/fatal.h"
#include "base/number.h"
#include "inspect/files/formats.h"
#include "inspect/files/json_scan.h"

#include <stdlib.h>

enum { HEADER_MAX = 100 * 1024 * 1024, PATH_SIZE = 4096, PARTS_MAX = 1024 };

/* dtype of safetensors 0.6; bits 0 ends the table. */
static const struct dtype {
    const char *name;
    int bits;
} dtypes[] = {
    {"F64", 64},    {"I64", 64},    {"U64", 64},    {"F32", 32},    {"I32", 32},
    {"U32", 32},    {"F16", 16},    {"BF16", 16},   {"I16", 16},    {"U16", 16},
    {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"I8", 8},      {"U8", 8},
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"C64", 64},
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

struct safetensors {
    const struct format_call *call;
    struct byte_stream stream;
    struct json_scan scan;
    int64_t data_bytes; /* what lies behind the header */
    int64_t reach;      /* of the tensors */
    char name[JSON_TEXT_KEPT + 1];
    size_t name_length;
};

static bool malformed(struct problem *problem)
{
    return problem_set(problem, "damaged safetensors file: its header is no valid JSON");
}

static int dtype_index(const char *name)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(dtypes[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

struct entry {
    int dtype;
    int64_t elements, begin, end;
    size_t dimensions;
    bool has_dtype, has_offsets;
};

static bool read_shape(struct safetensors *reader, struct entry *entry, struct problem *problem)
{
    if (json_scan_next(&reader->scan) != JSON_LIST) {
        return malformed(problem);
    }
    entry->elements = 1;
    for (;;) {
        enum json_token token = json_scan_next(&reader->scan);
        if (token == JSON_LIST_END) {
            return true;
        }
        if (token != JSON_NUMBER) {
            return malformed(problem);
        }
        entry->dimensions++;
        if (reader->scan.integer < 0 ||
            !number_multiply_i64(entry->elements, reader->scan.integer, &entry->elements)) {
            return problem_set(problem, "damaged safetensors file: a tensor of absurd size");
        }
    }
}

static bool read_offsets(struct safetensors *reader, struct entry *entry, struct problem *problem)
{
    struct json_scan *scan = &reader->scan;
    if (json_scan_next(scan) != JSON_LIST || json_scan_next(scan) != JSON_NUMBER) {
        return malformed(problem);
    }
    entry->begin = scan->integer;
    if (json_scan_next(scan) != JSON_NUMBER) {
        return malformed(problem);
    }
    entry->end = scan->integer;
    if (json_scan_next(scan) != JSON_LIST_END) {
        return malformed(problem);
    }
    entry->has_offsets = true;
    return (entry->begin >= 0 && entry->end >= entry->begin) ||
           problem_set(problem, "damaged safetensors file: a tensor ends before it begins");
}

static bool add_tensor(struct safetensors *reader, const struct entry *entry,
                       struct problem *problem)
{
    int64_t bytes = entry->end - entry->begin, bits;
    if (!entry->has_dtype || !entry->has_offsets) {
        return problem_set(problem, "damaged safetensors file: a tensor without type or place");
    }
    if (entry->dtype >= 0 &&
        (!number_multiply_i64(entry->elements, dtypes[entry->dtype].bits, &bits) ||
         bits / 8 + (bits % 8 != 0) != bytes)) {
        return problem_set(problem,
                           "damaged safetensors file: a tensor's shape contradicts its size");
    }
    reader->reach = entry->end > reader->reach ? entry->end : reader->reach;
    return model_builder_add(reader->call->builder, reader->name, reader->name_length,
                             entry->elements, bytes, entry->dtype, entry->dimensions) ||
           problem_set(problem, "damaged safetensors file: its tensors pass 2^63 bytes");
}

/* Behind the tensor's name. */
static bool read_tensor(struct safetensors *reader, struct problem *problem)
{
    struct json_scan *scan = &reader->scan;
    struct entry entry = {.dtype = -1, .elements = 1};
    if (json_scan_next(scan) != JSON_OBJECT) {
        return malformed(problem);
    }
    for (;;) {
        enum json_token token = json_scan_next(scan);
        bool valid = true;
        if (token == JSON_OBJECT_END) {
            return add_tensor(reader, &entry, problem);
        }
        if (token != JSON_KEY) {
            return malformed(problem);
        }
        if (strcmp(scan->text, "dtype") == 0) {
            valid = json_scan_next(scan) == JSON_STRING || malformed(problem);
            entry.dtype = valid ? dtype_index(scan->text) : -1;
            entry.has_dtype = true;
        } else if (strcmp(scan->text, "shape") == 0) {
            valid = read_shape(reader, &entry, problem);
        } else if (strcmp(scan->text, "data_offsets") == 0) {
            valid = read_offsets(reader, &entry, problem);
        } else {
            valid = json_scan_skip(scan, json_scan_next(scan)) || malformed(problem);
        }
        if (!valid) {
            return false;
        }
    }
}

/* {"format": "pt", "modelspec.title": ...}: strings only, and only a hint. */
static bool read_metadata(struct safetensors *reader, struct problem *problem)
{
    struct json_scan *scan = &reader->scan;
    struct model_file *file = reader->call->file;
    if (json_scan_next(scan) != JSON_OBJECT) {
        return malformed(problem);
    }
    for (;;) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_OBJECT_END) {
            return true;
        }
        if (token != JSON_KEY) {
            return malformed(problem);
        }
        bool is_title = strcmp(scan->text, "modelspec.title") == 0;
        bool is_architecture = strcmp(scan->text, "modelspec.architecture") == 0;
        token = json_scan_next(scan);
        if (token == JSON_STRING && (is_title || is_architecture)) {
            struct text text = text_from_raw(reader->call->arena,
                                             (struct raw_text){scan->text, scan->text_length});
            *(is_title ? &file->name : &file->architecture) = text;
        } else if (!json_scan_skip(scan, token)) {
            return malformed(problem);
        }
    }
}

static bool read_header(struct safetensors *reader, struct problem *problem)
{
    struct json_scan *scan = &reader->scan;
    if (json_scan_next(scan) != JSON_OBJECT) {
        return malformed(problem);
    }
    for (;;) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_OBJECT_END) {
            break;
        }
        if (token != JSON_KEY) {
            return malformed(problem);
        }
        reader->name_length = scan->text_length;
        memcpy(reader->name, scan->text, scan->text_length + 1);
        bool valid = strcmp(scan->text, "__metadata__") == 0 ? read_metadata(reader, problem)
                                                             : read_tensor(reader, problem);
        if (!valid) {
            return false;
        }
    }
    if (reader->reach > reader->data_bytes) {
        reader->call->file->incomplete = true;
        model_builder_warn(reader->call->builder,
                           "the file is shorter than its header says: damaged, or still being "
                           "downloaded");
    }
    return true;
}

static bool read_one(const struct format_call *call, const struct byte_source *source,
                     struct problem *problem)
{
    struct safetensors *reader = memory_new(sizeof *reader);
    uint64_t header = 0;
    bool read = false;
    reader->call = call;
    byte_stream_start(&reader->stream, source, 0);
    if (!byte_stream_u64(&reader->stream, &header) ||
        header > (uint64_t)byte_stream_left(&reader->stream)) {
        problem_set(problem,
                    "damaged safetensors file: its header reaches past the end of the file");
    } else if (header < 2 || header > HEADER_MAX) {
        problem_set(problem, "damaged safetensors file: a header of %llu bytes",
                    (unsigned long long)header);
    } else {
        reader->stream.end = reader->stream.position + (int64_t)header;
        reader->data_bytes = source->size - reader->stream.end;
        json_scan_start(&reader->scan, &reader->stream);
        read = read_header(reader, problem);
    }
    free(reader);
    return read;
}

static void add_part(const struct format_call *call, int64_t part, int64_t parts)
{
    char path[PATH_SIZE];
    struct byte_source source;
    struct problem problem;
    if (!part_path(call->path, ".safetensors", part, parts, path, sizeof path) ||
        !call->opener->open(call->opener, path, &source, &problem)) {
        call->file->parts_missing++;
        return;
    }
    call->file->file_bytes += source.size;
    if (!read_one(call, &source, &problem)) {
        call->file->parts_missing++;
        model_builder_warn(call->builder, "part %lld: %s", (long long)part + 1, problem.text);
    }
    byte_source_close(&source);
}

static void decide(const struct format_call *call)
{
    struct model_builder *builder = call->builder;
    struct model_file *file = call->file;
    int most = -1;
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (builder->type_bytes[i] > (most < 0 ? 0 : builder->type_bytes[most])) {
            most = i;
        }
    }
    if (most >= 0) {
        file->quantization = text_from_raw(call->arena, raw_from_string(dtypes[most].name));
    }
    if (builder->has_lora) {
        file->role = ROLE_LORA;
        file->kind = MODEL_ADAPTER;
    } else if (builder->has_diffusion) {
        file->kind = MODEL_DIFFUSION;
    }
    hf_config_read(call);
    if (file->shape.layers < 0 && builder->named_layers > 0) {
        file->shape.layers = builder->named_layers;
    }
}

bool safetensors_read(const struct format_call *call, struct problem *problem)
{
    struct model_file *file = call->file;
    int64_t part, parts;
    file->format = FORMAT_SAFETENSORS;
    if (!read_one(call, call->source, problem)) {
        return false;
    }
    file->file_bytes = call->source->size;
    if (part_of(call->path, ".safetensors", &part, &parts) && parts > 1 && parts <= PARTS_MAX) {
        file->parts = parts;
        for (int64_t i = 0; i < parts; i++) {
            if (i != part) {
                add_part(call, i, parts);
            }
        }
        if (file->parts_missing > 0) {
            model_builder_warn(call->builder,
                               "%lld of %lld parts are missing: the total is not known",
                               (long long)file->parts_missing, (long long)parts);
        }
    }
    decide(call);
    return true;
}

/* First file that "weight_map" names, and "total_size". */
static bool read_index(struct json_scan *scan, char first[PATH_SIZE], int64_t *total_size)
{
    bool in_map = false;
    enum json_token token;
    first[0] = '\0';
    *total_size = -1;
    if (json_scan_next(scan) != JSON_OBJECT) {
        return false;
    }
    while ((token = json_scan_next(scan)) != JSON_END) {
        if (token == JSON_ERROR) {
            return false;
        }
        if (token == JSON_STRING && in_map && scan->depth == 2 && !first[0] && !scan->text_cut) {
            memcpy(first, scan->text, scan->text_length + 1);
        }
        if (token != JSON_KEY) {
            continue;
        }
        if (scan->depth == 1) {
            in_map = strcmp(scan->text, "weight_map") == 0;
        } else if (strcmp(scan->text, "total_size") == 0 && json_scan_next(scan) == JSON_NUMBER &&
                   scan->integer >= 0) {
            *total_size = scan->integer;
        }
    }
    return first[0] != '\0';
}

bool safetensors_index_read(const struct format_call *call, struct problem *problem)
{
    struct byte_stream *stream = memory_new(sizeof *stream);
    struct json_scan scan;
    char first[PATH_SIZE], path[PATH_SIZE];
    int64_t total_size;
    byte_stream_start(stream, call->source, 0);
    json_scan_start(&scan, stream);
    bool read = call->source->size <= HEADER_MAX && read_index(&scan, first, &total_size);
    free(stream);
    if (!read || strchr(first, '/') || strchr(first, '\\')) {
        return problem_set(problem, "%s is no index of safetensors files", call->path);
    }
    struct byte_source source;
    if (!sibling_path(call->path, first, path, sizeof path) ||
        !call->opener->open(call->opener, path, &source, problem)) {
        return false;
    }
    struct format_call part = *call;
    part.path = path;
    part.source = &source;
    read = safetensors_read(&part, problem);
    byte_source_close(&source);
    if (read && total_size >= 0 && call->file->parts_missing == 0 &&
        total_size != call->file->weights_known_bytes) {
        model_builder_warn(call->builder,
                           "the index says %lld bytes of weights, its files hold %lld",
                           (long long)total_size, (long long)call->file->weights_known_bytes);
    }
    return read;
}

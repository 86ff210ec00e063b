#include "inspect/files/model_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "inspect/files/formats.h"
#include "inspect/files/gguf.h"

enum { HEAD_SIZE = 40 };

const char *model_format_name(enum model_format format)
{
    static const char *const names[FORMAT_COUNT] = {
        [FORMAT_UNKNOWN] = "",
        [FORMAT_GGUF] = "gguf",
        [FORMAT_SAFETENSORS] = "safetensors",
        [FORMAT_PYTORCH_ZIP] = "pytorch",
        [FORMAT_PYTORCH_PICKLE] = "pytorch_legacy",
        [FORMAT_ONNX] = "onnx",
        [FORMAT_TENSORRT] = "tensorrt",
        [FORMAT_WHISPER_GGML] = "whisper_ggml",
        [FORMAT_GGML_OLD] = "ggml",
        [FORMAT_TFLITE] = "tflite",
        [FORMAT_CTRANSLATE2] = "ctranslate2",
    };
    return format < FORMAT_COUNT ? names[format] : "";
}

int64_t layer_number(const struct layer_numbers *numbers, int64_t layer, int64_t fallback)
{
    if (!numbers->known) {
        return fallback;
    }
    if (!numbers->items) {
        return numbers->all;
    }
    return layer >= 0 && (size_t)layer < numbers->count ? numbers->items[layer] : fallback;
}

const struct model_tensor *model_file_next_tensor(const struct model_file *file,
                                                  struct tensor_cursor *cursor)
{
    if (!cursor->started) {
        *cursor = (struct tensor_cursor){.block = file->tensors, .started = true};
    }
    while (cursor->block && cursor->at == cursor->block->count) {
        cursor->block = cursor->block->next;
        cursor->at = 0;
    }
    return cursor->block ? &cursor->block->items[cursor->at++] : NULL;
}

struct head {
    unsigned char bytes[HEAD_SIZE]; /* zeros behind a shorter file's end */
    size_t length;
};

static bool begins(const struct head *head, const char *magic, size_t size)
{
    return head->length >= size && memcmp(head->bytes, magic, size) == 0;
}

static bool is_onnx(const struct head *head, const char *path)
{
    bool shape = head->length >= 3 && head->bytes[0] == 0x08 && head->bytes[1] < 0x20 &&
                 (head->bytes[2] == 0x12 || head->bytes[2] == 0x1a || head->bytes[2] == 0x3a);
    return shape || (path_has_ending(path, ".onnx") && head->length > 0);
}

static bool is_ctranslate2(const struct head *head)
{
    uint32_t version = head->bytes[0];
    return head->length > 12 && version >= 1 && version <= 6 && head->bytes[1] == 0 &&
           head->bytes[2] == 0 && head->bytes[3] == 0 && head->bytes[5] == 0 &&
           head->bytes[4] >= 8 && head->bytes[4] <= 32 && head->bytes[6] >= 'A' &&
           head->bytes[6] <= 'Z';
}

/* Formats of which nothing but their name and the file's size is readable. */
static bool read_opaque(const struct format_call *call, enum model_format format)
{
    call->file->format = format;
    call->file->file_bytes = call->source->size;
    call->builder->weights_known = call->builder->parameters_known = false;
    return true;
}

static bool read_ggml_old(const struct format_call *call)
{
    model_builder_warn(call->builder, "a ggml file from before GGUF (2023): convert it to GGUF");
    return read_opaque(call, FORMAT_GGML_OLD);
}

/* What Git keeps in place of a large file that was not fetched. */
static bool is_pointer(const struct head *head)
{
    return begins(head, "version https://git-lfs", 23);
}

static bool read_by_head(const struct format_call *call, const struct head *head,
                         struct problem *problem)
{
    const char *path = call->path;
    bool is_engine = path_has_ending(path, ".engine") || path_has_ending(path, ".plan") ||
                     path_has_ending(path, ".trt");
    if (begins(head, "PK\3\4", 4)) {
        return pytorch_zip_read(call, problem);
    }
    if (begins(head, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14)) {
        return read_opaque(call, FORMAT_PYTORCH_PICKLE);
    }
    if (begins(head, "lmgg", 4)) {
        return whisper_ggml_read(call, problem);
    }
    if (begins(head, "tjgg", 4) || begins(head, "fmgg", 4) || begins(head, "algg", 4)) {
        return read_ggml_old(call);
    }
    if (begins(head, "ptrt", 4) || begins(head, "ftrt", 4) || (is_engine && head->length > 0)) {
        return read_opaque(call, FORMAT_TENSORRT);
    }
    if (head->length >= 8 && memcmp(head->bytes + 4, "TFL3", 4) == 0) {
        return read_opaque(call, FORMAT_TFLITE);
    }
    if (is_pointer(head)) {
        return problem_set(problem, "%s is a Git LFS pointer, not the model itself: fetch it",
                           path);
    }
    if (path_has_ending(path, ".safetensors.index.json")) {
        return safetensors_index_read(call, problem);
    }
    if (path_has_ending(path, ".safetensors") || (head->length > 8 && head->bytes[8] == '{')) {
        return safetensors_read(call, problem);
    }
    if (is_ctranslate2(head)) {
        return ctranslate2_read(call, problem);
    }
    if (is_onnx(head, path)) {
        return onnx_read(call, problem);
    }
    return problem_set(problem, "%s is no model file of a known format", path);
}

static bool read_other(const struct byte_opener *opener, const char *path,
                       const struct byte_source *source, const struct head *head,
                       struct arena *arena, struct model_file *file, struct problem *problem)
{
    struct model_builder *builder = memory_new(sizeof *builder);
    const struct format_call call = {.opener = opener,
                                     .path = path,
                                     .source = source,
                                     .arena = arena,
                                     .file = file,
                                     .builder = builder};
    model_builder_start(builder, arena, file);
    bool read = read_by_head(&call, head, problem);
    if (read) {
        model_builder_finish(builder);
    }
    free(builder);
    return read;
}

/* What is wrong with a file says with which one. */
static void name_problem(const char *path, struct problem *problem)
{
    if (problem && !strstr(problem->text, path)) {
        const struct problem bare = *problem;
        problem_set(problem, "%.250s: %s", path, bare.text);
    }
}

bool model_file_read(const struct byte_opener *opener, const char *path, struct arena *arena,
                     struct model_file *file, struct problem *problem)
{
    struct byte_source source;
    struct head head = {.length = 0};
    memset(file, 0, sizeof *file);
    if (!opener->open(opener, path, &source, problem)) {
        return false;
    }
    head.length = source.size < HEAD_SIZE ? (size_t)source.size : HEAD_SIZE;
    bool read;
    if (!byte_source_read(&source, 0, head.bytes, head.length)) {
        read = problem_set(problem, "cannot read %s", path);
    } else if (source.size == 0) {
        read = problem_set(problem, "%s is empty", path);
    } else if (begins(&head, "GGUF", 4)) {
        read = gguf_read(opener, path, &source, arena, file, problem);
    } else if (path_has_ending(path, ".gguf") && !begins(&head, "lmgg", 4) && !is_pointer(&head)) {
        read = problem_set(problem, "%s is no GGUF file: it does not begin with GGUF", path);
    } else {
        read = read_other(opener, path, &source, &head, arena, file, problem);
    }
    byte_source_close(&source);
    if (!read) {
        name_problem(path, problem);
    }
    return read;
}

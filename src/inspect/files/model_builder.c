#include "inspect/files/model_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "inspect/files/tensor_group.h"

enum { NAME_BYTES_MAX = 224 * 1024 };

void model_builder_start(struct model_builder *builder, struct arena *arena,
                         struct model_file *file)
{
    memset(builder, 0, sizeof *builder);
    memset(file, 0, sizeof *file);
    struct model_shape *shape = &file->shape;
#define NUMBER_KEY(member, suffix) shape->member = -1;
#define LAYERS_KEY(member, suffix)
#include "inspect/files/gguf_keys.def"
#undef NUMBER_KEY
#undef LAYERS_KEY
    shape->vocabulary = -1;
    file->version = -1;
    file->parts = 1;
    builder->file = file;
    builder->arena = arena;
    builder->parameters_known = builder->weights_known = true;
}

void model_builder_warn(struct model_builder *builder, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct model_file *file = builder->file;
    for (size_t i = 0; i < file->warning_count; i++) {
        if (text_equal_string(file->warnings[i], text)) {
            return;
        }
    }
    if (file->warning_count < MODEL_WARNINGS_MAX) {
        file->warnings[file->warning_count++] = text_format(builder->arena, "%s", text);
    }
}

/* True when the name was there before. Gives up quietly once the table is half full. */
static bool seen_before(struct model_builder *builder, const char *name, size_t length)
{
    enum { SLOTS = MODEL_TENSORS_MAX * 2 };
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    }
    hash = hash ? hash : 1;
    size_t slot = (size_t)(hash % SLOTS);
    while (builder->names_seen[slot] && builder->names_seen[slot] != hash) {
        slot = (slot + 1) % SLOTS;
    }
    bool found = builder->names_seen[slot] == hash;
    builder->names_seen[slot] = hash;
    return found;
}

static void keep(struct model_builder *builder, const char *name, size_t length,
                 const struct model_tensor *tensor)
{
    if (builder->kept == MODEL_TENSORS_MAX || builder->name_bytes + length > NAME_BYTES_MAX) {
        return;
    }
    if (seen_before(builder, name, length)) {
        model_builder_warn(builder, "a tensor's name comes twice: the runtime refuses such a file");
    }
    if (!builder->last || builder->last->count == TENSOR_BLOCK_COUNT) {
        struct model_tensor_block *block = ARENA_NEW(builder->arena, struct model_tensor_block);
        if (builder->last) {
            builder->last->next = block;
        } else {
            builder->file->tensors = block;
        }
        builder->last = block;
    }
    struct model_tensor *kept = &builder->last->items[builder->last->count++];
    *kept = *tensor;
    kept->name = arena_string(builder->arena, name, length);
    builder->kept++;
    builder->name_bytes += length + 1;
}

static void count_layer(struct model_builder *builder, const struct model_tensor *tensor)
{
    struct layer_bytes *layer = &builder->layers[tensor->layer];
    builder->has_layers = true;
    if (tensor->layer >= builder->layer_limit) {
        builder->layer_limit = tensor->layer + 1;
    }
    layer->bytes += tensor->bytes;
    layer->expert_bytes += tensor->expert ? tensor->bytes : 0;
}

static void count_group(struct model_builder *builder, const char *name, size_t length,
                        const struct model_tensor *tensor)
{
    struct model_file *file = builder->file;
    switch ((enum tensor_group)tensor->group) {
    case GROUP_INPUT:
        file->input_bytes += tensor->bytes;
        if (length == sizeof "token_embd.weight" - 1 && name[0] == 't' && name[6] == 'e') {
            builder->token_embedding_bytes = tensor->bytes;
        }
        break;
    case GROUP_OUTPUT:
        file->output_bytes += tensor->bytes;
        builder->has_output |=
            length == sizeof "output.weight" - 1 && memcmp(name, "output.weight", length) == 0;
        builder->has_classifier |= length > 3 && memcmp(name, "cls", 3) == 0;
        break;
    case GROUP_LAYER:
        count_layer(builder, tensor);
        break;
    case GROUP_SHARED:
        file->shared_bytes += tensor->bytes;
        break;
    }
}

static bool contains(const char *name, size_t length, const char *part)
{
    size_t size = strlen(part);
    for (size_t at = 0; at + size <= length; at++) {
        if (memcmp(name + at, part, size) == 0) {
            return true;
        }
    }
    return false;
}

/* "model.layers.12.": the highest number names how many there are. */
static void note_layer(struct model_builder *builder, const char *name, size_t length)
{
    static const char word[] = "layers.";
    for (size_t at = 0; at + sizeof word <= length; at++) {
        if (memcmp(name + at, word, sizeof word - 1) != 0) {
            continue;
        }
        int64_t layer = 0;
        size_t digit = at + sizeof word - 1;
        for (; digit < length && name[digit] >= '0' && name[digit] <= '9' && layer < 10000;
             digit++) {
            layer = layer * 10 + (name[digit] - '0');
        }
        if (digit > at + sizeof word - 1 && layer >= builder->named_layers && layer < 10000) {
            builder->named_layers = layer + 1;
        }
    }
}

/* What a tensor's name tells of the model as a whole. */
static void note_name(struct model_builder *builder, const char *name, size_t length)
{
    static const char *const diffusion[] = {"model.diffusion_model.", "double_blocks.",
                                            "joint_blocks.", "first_stage_model."};
    for (size_t i = 0; i < sizeof diffusion / sizeof *diffusion; i++) {
        builder->has_diffusion |= contains(name, length, diffusion[i]);
    }
    builder->has_lora |= contains(name, length, "lora_A.") || contains(name, length, ".lora_down.");
    if (!builder->keeps_names) {
        note_layer(builder, name, length);
    }
}

bool model_builder_add(struct model_builder *builder, const char *name, size_t length,
                       int64_t elements, int64_t bytes, int type, size_t dimensions)
{
    struct model_file *file = builder->file;
    struct model_tensor tensor = tensor_classify(name, length, file->architecture);
    tensor.bytes = bytes > 0 ? bytes : 0;
    file->tensor_count++;
    if (bytes < 0) {
        builder->weights_known = false;
    }
    if (elements < 0 || !number_add_i64(builder->parameters, elements, &builder->parameters)) {
        builder->parameters_known = false;
    }
    /* Every group is a part of this sum: none of them can overflow before it does. */
    if (!number_add_i64(file->weights_known_bytes, tensor.bytes, &file->weights_known_bytes)) {
        return false;
    }
    if (type >= 0 && type < (int)(sizeof builder->type_bytes / sizeof *builder->type_bytes) &&
        dimensions >= 2) {
        builder->type_bytes[type] += tensor.bytes;
    }
    note_name(builder, name, length);
    count_group(builder, name, length, &tensor);
    if (builder->keeps_names) {
        keep(builder, name, length, &tensor);
    }
    return true;
}

void model_builder_locate(struct model_builder *builder, int64_t offset, int64_t part, bool repacks)
{
    if (builder->kept != builder->file->tensor_count) {
        return; /* the last one was not kept */
    }
    struct model_tensor *tensor = &builder->last->items[builder->last->count - 1];
    tensor->offset = offset;
    tensor->part = (int16_t)part;
    tensor->repacks = repacks;
}

/* Architectures without an output matrix: their token embeddings are only read. */
static bool has_no_output_matrix(struct text architecture)
{
    static const char *const names[] = {"bert",         "nomic-bert",   "nomic-bert-moe",
                                        "jina-bert-v2", "jina-bert-v3", "modern-bert",
                                        "neo-bert",     "eurobert",     "t5encoder"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_equal_string(architecture, names[i])) {
            return true;
        }
    }
    return false;
}

void model_builder_finish(struct model_builder *builder)
{
    struct model_file *file = builder->file;
    file->weights_bytes = builder->weights_known && file->parts_missing == 0
                              ? measured_known(file->weights_known_bytes)
                              : measured_unknown(REASON_not_reported);
    file->parameters =
        builder->parameters_known && file->parts_missing == 0 && builder->parameters > 0
            ? measured_known(builder->parameters)
            : measured_unknown(REASON_not_reported);
    file->tensors_kept = builder->keeps_names && builder->kept == file->tensor_count;
    if (file->shape.nextn_layers < 0) {
        file->shape.nextn_layers = 0;
    }
    if (builder->layer_limit > 0) {
        file->layer_count = (size_t)builder->layer_limit;
        struct layer_bytes *layers =
            ARENA_ARRAY(builder->arena, struct layer_bytes, file->layer_count);
        memcpy(layers, builder->layers, file->layer_count * sizeof *layers);
        file->layers = layers;
    }
    if (file->role == ROLE_MODEL && builder->has_layers && !builder->has_output &&
        !has_no_output_matrix(file->architecture)) {
        file->tied_bytes = builder->token_embedding_bytes;
    }
}

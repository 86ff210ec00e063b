#include "inspect/files/gguf.h"

#include <stdio.h>
#include <string.h>

static bool is_key(const char *key, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

static void store_layers(struct gguf *gguf, struct layer_numbers *numbers)
{
    const struct gguf_value *value = &gguf->value;
    if (value->type != GGUF_ARRAY) {
        *numbers = (struct layer_numbers){.known = value->integer >= 0, .all = value->integer};
    } else if (value->items_known) {
        size_t count = (size_t)value->count;
        int32_t *items = ARENA_ARRAY(gguf->builder->arena, int32_t, count);
        memcpy(items, value->items, count * sizeof *items);
        *numbers = (struct layer_numbers){.known = true, .all = -1, .items = items, .count = count};
    }
}

static void warn_wrong_type(struct gguf *gguf, const char *suffix)
{
    model_builder_warn(gguf->builder, "%s is no whole number and is ignored", suffix);
}

/* A key behind "ARCHITECTURE.". */
static void store_shape(struct gguf *gguf, const char *key, size_t length)
{
    struct model_shape *shape = &gguf->builder->file->shape;
    const struct gguf_value *value = &gguf->value;
#define NUMBER_KEY(member, suffix)                                                                 \
    if (is_key(key, length, suffix)) {                                                             \
        shape->member = value->integer;                                                            \
        if (value->integer < 0 && value->type != GGUF_ARRAY) {                                     \
            warn_wrong_type(gguf, suffix);                                                         \
        }                                                                                          \
        return;                                                                                    \
    }
#define LAYERS_KEY(member, suffix)                                                                 \
    if (is_key(key, length, suffix)) {                                                             \
        store_layers(gguf, &shape->member);                                                        \
        if (!shape->member.known) {                                                                \
            warn_wrong_type(gguf, suffix);                                                         \
        }                                                                                          \
        return;                                                                                    \
    }
#include "inspect/files/gguf_keys.def"
#undef NUMBER_KEY
#undef LAYERS_KEY
    if (is_key(key, length, "vocab_size")) {
        shape->vocabulary = value->integer;
    } else if (is_key(key, length, "classifier.output_labels")) {
        gguf->has_labels = value->count > 0;
    } else if (is_key(key, length, "vision.block_count") ||
               (is_key(key, length, "audio.block_count") && shape->layers < 0)) {
        shape->layers = value->integer;
    }
}

static void keep_word(const struct gguf_value *value, char out[GGUF_KEY_KEPT])
{
    size_t length =
        value->string_length < GGUF_KEY_KEPT - 1 ? value->string_length : GGUF_KEY_KEPT - 1;
    memcpy(out, value->string, length);
    out[length] = '\0';
}

static void store_general(struct gguf *gguf, const char *key, size_t length)
{
    const struct gguf_value *value = &gguf->value;
    struct model_file *file = gguf->builder->file;
    struct raw_text string = {value->string, value->string_length};
    if (value->type != GGUF_STRING) {
        if (is_key(key, length, "file_type")) {
            gguf->file_type = value->integer;
        }
        return;
    }
    if (is_key(key, length, "architecture") && value->string_length > 0) {
        keep_word(value, gguf->architecture);
        gguf->architecture_known = true;
        file->architecture = text_from_raw(gguf->builder->arena, string);
    } else if (is_key(key, length, "name")) {
        file->name = text_from_raw(gguf->builder->arena, string);
    } else if (is_key(key, length, "type")) {
        keep_word(value, gguf->type);
    }
}

static void store_split(struct gguf *gguf, const char *key, size_t length)
{
    if (is_key(key, length, "no")) {
        gguf->part = gguf->value.integer;
    } else if (is_key(key, length, "count")) {
        gguf->parts = gguf->value.integer;
    } else if (is_key(key, length, "tensors.count")) {
        gguf->part_tensors = gguf->value.integer;
    }
}

static bool strip(const char **key, size_t *length, const char *prefix)
{
    size_t size = strlen(prefix);
    if (*length <= size || memcmp(*key, prefix, size) != 0) {
        return false;
    }
    *key += size;
    *length -= size;
    return true;
}

void gguf_store(struct gguf *gguf, const char *key, size_t length, bool main)
{
    if (strip(&key, &length, "split.")) {
        store_split(gguf, key, length);
    } else if (is_key(key, length, "general.alignment")) {
        gguf->alignment = gguf->value.integer;
    } else if (!main) {
        return;
    } else if (strip(&key, &length, "general.")) {
        store_general(gguf, key, length);
    } else if (is_key(key, length, "tokenizer.ggml.tokens")) {
        gguf->vocabulary = gguf->value.count;
    } else if (is_key(key, length, "adapter.type")) {
        gguf->is_lora = raw_equal_string(
            (struct raw_text){gguf->value.string, gguf->value.string_length}, "lora");
    } else if (!gguf->architecture_known) {
        gguf->again = true;
    } else if (strip(&key, &length, gguf->architecture) && strip(&key, &length, ".")) {
        store_shape(gguf, key, length);
    }
}

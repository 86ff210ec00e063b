/* GGUF, the format of llama.cpp: v1 to v3, little and big-endian, one part at a time. Private to
 * inspect/files. */
#ifndef INSPECT_FILES_GGUF_H
#define INSPECT_FILES_GGUF_H

#include "inspect/files/byte_stream.h"
#include "inspect/files/model_builder.h"

enum gguf_type {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPE_COUNT
};

enum {
    GGUF_KEY_KEPT = 128,   /* bytes of a key */
    GGUF_VALUE_KEPT = 256, /* bytes of a string */
    GGUF_KEYS_TRACKED = 512,
};

/* One key's value; arrays and strings only as far as they are kept. */
struct gguf_value {
    uint32_t type, element_type; /* element_type of an array */
    int64_t integer;             /* of a whole number from 0 to 2^31, otherwise -1 */
    char string[GGUF_VALUE_KEPT];
    size_t string_length; /* kept */
    uint64_t count;       /* elements of an array */
    bool items_known;     /* of an array: all of them are whole numbers and kept */
    int32_t items[MODEL_LAYERS_MAX];
};

struct gguf {
    struct byte_stream stream;
    struct model_builder *builder;
    uint32_t version;
    uint64_t tensor_count, key_count;
    int64_t alignment;
    bool architecture_known, again; /* keys came before the architecture: read them again */
    char architecture[GGUF_KEY_KEPT];
    char type[GGUF_KEY_KEPT];          /* general.type; "" */
    int64_t file_type;                 /* -1 */
    int64_t part, parts, part_tensors; /* split.*; -1 */
    uint64_t vocabulary;
    bool has_labels, is_lora;
    uint64_t keys_seen[GGUF_KEYS_TRACKED];
    size_t keys_seen_count;
    bool cut; /* the file ends inside its keys */
    struct gguf_value value;
};

/* Starts reading at the front: magic, version, counts. False with *problem. */
bool gguf_start(struct gguf *gguf, const struct byte_source *source, struct model_builder *builder,
                struct problem *problem);
/* All keys. In the first part (`main`) those of the model go into the builder's file. */
bool gguf_read_keys(struct gguf *gguf, bool main, struct problem *problem);
/* The tensor table, into the builder; notes what is missing of the data. */
bool gguf_read_tensors(struct gguf *gguf, struct problem *problem);

/* Reads one value of `type` into gguf->value. Arrays of numbers are kept when `keep_items`. */
bool gguf_read_value(struct gguf *gguf, uint32_t type, bool keep_items, struct problem *problem);
/* A count or length: 32 bits in v1, 64 from v2 on. */
bool gguf_read_length(struct gguf *gguf, uint64_t *length);
/* The file is cut or lies about a length. */
bool gguf_past_the_end(struct problem *problem, const char *what);
/* Puts gguf->value where the key says. */
void gguf_store(struct gguf *gguf, const char *key, size_t length, bool main);
/* What kind of model this is, once keys and tensors are read. */
void gguf_decide_kind(const struct gguf *gguf);
/* Quantization label and what contradicts it. */
void gguf_decide_quantization(const struct gguf *gguf);

/* The whole set of parts that `path` is one of. */
bool gguf_read(const struct byte_opener *opener, const char *path, const struct byte_source *source,
               struct arena *arena, struct model_file *file, struct problem *problem);

#endif

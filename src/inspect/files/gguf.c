#include "inspect/files/gguf.h"

#include <string.h>

#include "inspect/files/tensor_type.h"

enum {
    KEY_LENGTH_MAX = 65535,
    KEY_BYTES_MIN = 14,    /* length, one letter, type, value; v2 and later */
    TENSOR_BYTES_MIN = 24, /* name length, dimensions, type, offset */
    KEYS_MAX = 1 << 20,
    TENSORS_MAX = 1 << 20,
};

static bool version_is_known(uint32_t version)
{
    return version >= 1 && version <= 3;
}

static bool check_counts(const struct gguf *gguf, struct problem *problem)
{
    uint64_t left = (uint64_t)byte_stream_left(&gguf->stream);
    uint64_t saved = gguf->version == 1 ? 4 : 0; /* v1 has 32-bit lengths */
    if (gguf->key_count > left / (KEY_BYTES_MIN - saved) || gguf->key_count > KEYS_MAX) {
        return problem_set(problem, "damaged GGUF file: it claims more keys than it can hold");
    }
    if (gguf->tensor_count > left / (TENSOR_BYTES_MIN - saved) ||
        gguf->tensor_count > TENSORS_MAX) {
        return problem_set(problem, "damaged GGUF file: it claims more tensors than it can hold");
    }
    return true;
}

bool gguf_start(struct gguf *gguf, const struct byte_source *source, struct model_builder *builder,
                struct problem *problem)
{
    memset(gguf, 0, sizeof *gguf);
    gguf->builder = builder;
    gguf->alignment = -1;
    gguf->file_type = gguf->part = gguf->parts = gguf->part_tensors = -1;
    struct byte_stream *stream = &gguf->stream;
    byte_stream_start(stream, source, 0);
    unsigned char magic[4];
    if (!byte_stream_take(stream, magic, sizeof magic) || memcmp(magic, "GGUF", 4) != 0) {
        return problem_set(problem, "no GGUF file: it does not begin with GGUF");
    }
    if (!byte_stream_u32(stream, &gguf->version)) {
        return gguf_past_the_end(problem, "its head");
    }
    if ((gguf->version & 0xffff) == 0 && version_is_known(__builtin_bswap32(gguf->version))) {
        gguf->version = __builtin_bswap32(gguf->version);
        stream->swaps = true;
    }
    if (!version_is_known(gguf->version)) {
        return problem_set(problem, "GGUF version %u is not known", gguf->version);
    }
    if (!gguf_read_length(gguf, &gguf->tensor_count) || !gguf_read_length(gguf, &gguf->key_count)) {
        return gguf_past_the_end(problem, "its head");
    }
    return check_counts(gguf, problem);
}

/* True when this key was there before. */
static bool key_seen(struct gguf *gguf, const char *key, size_t length)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)key[i]) * 1099511628211u;
    }
    for (size_t i = 0; i < gguf->keys_seen_count; i++) {
        if (gguf->keys_seen[i] == hash) {
            return true;
        }
    }
    if (gguf->keys_seen_count < GGUF_KEYS_TRACKED) {
        gguf->keys_seen[gguf->keys_seen_count++] = hash;
    }
    return false;
}

static bool read_key(struct gguf *gguf, bool main, struct problem *problem)
{
    char key[GGUF_KEY_KEPT];
    uint64_t length;
    uint32_t type;
    if (!gguf_read_length(gguf, &length) || length > (uint64_t)byte_stream_left(&gguf->stream)) {
        return gguf_past_the_end(problem, "a key");
    }
    if (length == 0 || length > KEY_LENGTH_MAX) {
        return problem_set(problem, "damaged GGUF file: a key of %llu bytes",
                           (unsigned long long)length);
    }
    size_t kept = length < sizeof key ? (size_t)length : sizeof key;
    if (!byte_stream_take(&gguf->stream, key, kept) ||
        !byte_stream_skip(&gguf->stream, length - kept) || !byte_stream_u32(&gguf->stream, &type)) {
        return gguf_past_the_end(problem, "a key");
    }
    if (!gguf_read_value(gguf, type, main, problem)) {
        return false;
    }
    if (length != kept) {
        return true;
    }
    if (key_seen(gguf, key, kept)) {
        model_builder_warn(gguf->builder, "a key comes twice: the runtime refuses such a file");
    } else {
        gguf_store(gguf, key, kept, main);
    }
    return true;
}

static bool read_all_keys(struct gguf *gguf, bool main, struct problem *problem)
{
    for (uint64_t i = 0; i < gguf->key_count; i++) {
        if (!read_key(gguf, main, problem)) {
            return gguf->cut && gguf->architecture_known;
        }
    }
    return true;
}

static bool check_alignment(struct gguf *gguf, struct problem *problem)
{
    enum { ALIGNMENT_DEFAULT = 32 };
    static const char name[] = "general.alignment";
    if (gguf->alignment < 0 && !key_seen(gguf, name, sizeof name - 1)) {
        gguf->alignment = ALIGNMENT_DEFAULT;
    }
    if (gguf->alignment <= 0 || (gguf->alignment & (gguf->alignment - 1)) != 0) {
        return problem_set(problem, "damaged GGUF file: its alignment is no power of two");
    }
    return true;
}

bool gguf_read_keys(struct gguf *gguf, bool main, struct problem *problem)
{
    int64_t start = gguf->stream.position;
    if (!read_all_keys(gguf, main, problem)) {
        return false;
    }
    if (gguf->again && gguf->architecture_known && !gguf->cut) {
        gguf->stream.position = start;
        gguf->keys_seen_count = 0;
        if (!read_all_keys(gguf, main, problem)) {
            return false;
        }
    }
    return check_alignment(gguf, problem);
}

static const char *size_problem(enum tensor_size_result result)
{
    switch (result) {
    case TENSOR_SIZE_NEGATIVE:
        return "a tensor has a negative dimension";
    case TENSOR_SIZE_OVERFLOW:
        return "a tensor is larger than 2^63 bytes";
    case TENSOR_SIZE_NO_WHOLE_BLOCKS:
        return "a tensor's rows are no whole blocks of its type";
    default:
        return NULL;
    }
}

struct tensor_entry {
    char name[TENSOR_NAME_MAX + 1];
    size_t name_length;
    uint32_t dimension_count, type;
    uint64_t dimensions[4], offset;
};

static bool read_entry(struct gguf *gguf, struct tensor_entry *entry, struct problem *problem)
{
    uint64_t length;
    if (!gguf_read_length(gguf, &length)) {
        return gguf_past_the_end(problem, "its tensor table");
    }
    if (length > TENSOR_NAME_MAX) {
        return problem_set(problem, "damaged GGUF file: a tensor's name has more than %d bytes",
                           TENSOR_NAME_MAX);
    }
    entry->name_length = (size_t)length;
    if (!byte_stream_take(&gguf->stream, entry->name, entry->name_length) ||
        !byte_stream_u32(&gguf->stream, &entry->dimension_count)) {
        return gguf_past_the_end(problem, "its tensor table");
    }
    if (entry->dimension_count > 4) {
        return problem_set(problem, "damaged GGUF file: a tensor has %u dimensions",
                           entry->dimension_count);
    }
    for (uint32_t i = 0; i < entry->dimension_count; i++) {
        if (!gguf_read_length(gguf, &entry->dimensions[i])) {
            return gguf_past_the_end(problem, "its tensor table");
        }
    }
    return (byte_stream_u32(&gguf->stream, &entry->type) &&
            byte_stream_u64(&gguf->stream, &entry->offset)) ||
           gguf_past_the_end(problem, "its tensor table");
}

/* Where tensors should lie and how far they reach, from the start of the data. */
struct tensor_places {
    uint64_t expected, reach;
    bool expected_known, overflows;
};

static void place(struct gguf *gguf, struct tensor_places *places, uint64_t offset, int64_t bytes)
{
    uint64_t size = bytes > 0 ? (uint64_t)bytes : 0, end;
    if (places->expected_known && offset != places->expected) {
        model_builder_warn(gguf->builder,
                           "tensors do not lie one behind the other: the file is damaged");
    }
    if (__builtin_add_overflow(offset, size, &end)) {
        places->overflows = true;
        return;
    }
    places->reach = end > places->reach ? end : places->reach;
    uint64_t alignment = (uint64_t)gguf->alignment;
    uint64_t padded = (size + alignment - 1) / alignment * alignment;
    places->expected_known =
        bytes >= 0 && !__builtin_add_overflow(offset, padded, &places->expected);
}

static bool add_entry(struct gguf *gguf, const struct tensor_entry *entry,
                      struct tensor_places *places, struct problem *problem)
{
    int64_t elements, bytes;
    enum tensor_size_result result =
        tensor_size(entry->type, entry->dimensions, entry->dimension_count, &elements, &bytes);
    const char *reason = size_problem(result);
    if (reason) {
        return problem_set(problem, "damaged GGUF file: %s", reason);
    }
    if (result == TENSOR_SIZE_UNKNOWN_TYPE) {
        bytes = -1;
        model_builder_warn(gguf->builder,
                           "tensors of type %u: its size is not known, so the total is not either",
                           entry->type);
    }
    place(gguf, places, entry->offset, bytes);
    if (!model_builder_add(gguf->builder, entry->name, entry->name_length, elements, bytes,
                           entry->type < TENSOR_TYPE_LIMIT ? (int)entry->type : -1,
                           entry->dimension_count)) {
        return problem_set(problem, "damaged GGUF file: its tensors pass 2^63 bytes");
    }
    enum { ROWS_TOGETHER = 8 };
    bool rearranges = tensor_type_repacks(entry->type) && entry->dimension_count >= 2 &&
                      entry->dimensions[1] % ROWS_TOGETHER == 0;
    model_builder_locate(gguf->builder,
                         entry->offset <= INT64_MAX ? (int64_t)entry->offset : INT64_MAX,
                         gguf->part > 0 ? gguf->part : 0, rearranges);
    return true;
}

/* The data begins behind the table, at the next multiple of the alignment. */
static void check_reach(struct gguf *gguf, const struct tensor_places *places)
{
    uint64_t alignment = (uint64_t)gguf->alignment;
    uint64_t start = ((uint64_t)gguf->stream.position + alignment - 1) / alignment * alignment;
    uint64_t size = (uint64_t)gguf->stream.source->size;
    if (places->overflows || places->reach > (size > start ? size - start : 0)) {
        gguf->builder->file->incomplete = true;
        model_builder_warn(gguf->builder,
                           "the file is shorter than its own table says: damaged, or still being "
                           "downloaded");
    }
}

bool gguf_read_tensors(struct gguf *gguf, struct problem *problem)
{
    struct tensor_places places = {.expected_known = true};
    if (gguf->cut) {
        gguf->builder->weights_known = gguf->builder->parameters_known = false;
        gguf->builder->file->incomplete = true;
        model_builder_warn(gguf->builder, "the file ends inside its keys: what follows is unknown");
        return true;
    }
    for (uint64_t i = 0; i < gguf->tensor_count; i++) {
        struct tensor_entry entry;
        if (!read_entry(gguf, &entry, problem) || !add_entry(gguf, &entry, &places, problem)) {
            return false;
        }
    }
    check_reach(gguf, &places);
    return true;
}

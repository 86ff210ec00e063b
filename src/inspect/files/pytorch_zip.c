#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/number.h"
#include "inspect/files/byte_stream.h"
#include "inspect/files/formats.h"

/* Zip: APPNOTE 6.3. Sizes are fixed parts of records. */
enum {
    END_SIZE = 22,
    END64_LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    COMMENT_MAX = 65535,
    ENTRIES_MAX = 1 << 20,
    NAME_KEPT = 256,
};

struct directory {
    uint64_t entries, size, offset;
};

struct zip_sums {
    bool has_pickle, packed;
    int64_t tensors, bytes;
};

static bool damaged(struct problem *problem, const char *what)
{
    return problem_set(problem, "damaged PyTorch file: %s", what);
}

/* Position of the end record, from the back; -1: none. */
static int64_t find_end(const struct byte_source *source)
{
    enum { STEP = 4096 };
    unsigned char bytes[STEP + END_SIZE];
    int64_t limit = source->size - END_SIZE - COMMENT_MAX, at = source->size - END_SIZE;
    if (at < 0) {
        return -1;
    }
    for (;;) {
        int64_t start = at - STEP > 0 ? at - STEP : 0;
        size_t length = (size_t)(at - start) + END_SIZE;
        if (!byte_source_read(source, start, bytes, length)) {
            return -1;
        }
        for (int64_t i = at - start; i >= 0; i--) {
            if (memcmp(bytes + i, "PK\5\6", 4) == 0) {
                return start + i;
            }
        }
        if (start == 0 || start <= limit) {
            return -1;
        }
        at = start - 1;
    }
}

/* The 64-bit end record, where there is one in front of the plain one. */
static void read_end64(const struct byte_source *source, int64_t end, struct directory *directory)
{
    unsigned char bytes[END64_SIZE];
    if (end < END64_LOCATOR_SIZE ||
        !byte_source_read(source, end - END64_LOCATOR_SIZE, bytes, END64_LOCATOR_SIZE) ||
        memcmp(bytes, "PK\6\7", 4) != 0) {
        return;
    }
    uint64_t offset = little_u64(bytes + 8);
    if (offset > INT64_MAX || !byte_source_read(source, (int64_t)offset, bytes, sizeof bytes) ||
        memcmp(bytes, "PK\6\6", 4) != 0) {
        return;
    }
    directory->entries = little_u64(bytes + 32);
    directory->size = little_u64(bytes + 40);
    directory->offset = little_u64(bytes + 48);
}

static bool find_directory(const struct byte_source *source, struct directory *directory,
                           struct problem *problem)
{
    unsigned char bytes[END_SIZE];
    int64_t end = find_end(source);
    if (end < 0 || !byte_source_read(source, end, bytes, sizeof bytes)) {
        return damaged(problem, "its directory is missing, as while it is being downloaded");
    }
    directory->entries = little_u16(bytes + 10);
    directory->size = little_u32(bytes + 12);
    directory->offset = little_u32(bytes + 16);
    read_end64(source, end, directory);
    uint64_t size = (uint64_t)source->size;
    if (directory->offset > size || directory->size > size - directory->offset ||
        directory->entries > directory->size / ENTRY_SIZE || directory->entries > ENTRIES_MAX) {
        return damaged(problem, "its directory is larger than the file");
    }
    return true;
}

/* "NAME/data/12": a tensor's storage. */
static bool is_storage(const char *name, size_t length)
{
    size_t digits = 0;
    while (digits < length && name[length - 1 - digits] >= '0' &&
           name[length - 1 - digits] <= '9') {
        digits++;
    }
    static const char folder[] = "data/";
    size_t size = sizeof folder - 1;
    return digits > 0 && length >= digits + size &&
           memcmp(name + length - digits - size, folder, size) == 0 &&
           (length == digits + size || name[length - digits - size - 1] == '/');
}

static bool is_pickle(const char *name, size_t length)
{
    static const char pickle[] = "data.pkl";
    size_t size = sizeof pickle - 1;
    return length >= size && memcmp(name + length - size, pickle, size) == 0 &&
           (length == size || name[length - size - 1] == '/');
}

/* The 64-bit size in an entry's extra field, where the plain one says so. */
static bool read_extra(struct byte_stream *stream, uint64_t length, uint64_t *size)
{
    int64_t end = stream->position + (int64_t)length;
    while (end - stream->position >= 4) {
        uint16_t id, count;
        if (!byte_stream_u16(stream, &id) || !byte_stream_u16(stream, &count) ||
            count > end - stream->position) {
            return false;
        }
        if (id == 1 && count >= 8 && *size == UINT32_MAX) {
            if (!byte_stream_u64(stream, size)) {
                return false;
            }
            count = (uint16_t)(count - 8);
        }
        if (!byte_stream_skip(stream, count)) {
            return false;
        }
    }
    return byte_stream_skip(stream, (uint64_t)(end - stream->position));
}

static bool read_entry(struct byte_stream *stream, struct zip_sums *sums)
{
    unsigned char head[ENTRY_SIZE];
    char name[NAME_KEPT];
    if (!byte_stream_take(stream, head, sizeof head) || memcmp(head, "PK\1\2", 4) != 0) {
        return false;
    }
    uint64_t size = little_u32(head + 24);
    size_t length = little_u16(head + 28), extra = little_u16(head + 30);
    /* The end of a long name tells what it is. */
    size_t kept = length < sizeof name ? length : sizeof name;
    if (!byte_stream_skip(stream, length - kept) || !byte_stream_take(stream, name, kept) ||
        extra > (uint64_t)byte_stream_left(stream) || !read_extra(stream, extra, &size) ||
        !byte_stream_skip(stream, little_u16(head + 32))) {
        return false;
    }
    sums->has_pickle |= is_pickle(name, kept);
    if (!is_storage(name, kept)) {
        return true;
    }
    sums->packed |= little_u16(head + 10) != 0;
    sums->tensors++;
    return size <= INT64_MAX && number_add_i64(sums->bytes, (int64_t)size, &sums->bytes);
}

static bool read_directory(const struct format_call *call, const struct directory *directory,
                           struct zip_sums *sums, struct problem *problem)
{
    struct byte_stream *stream = memory_new(sizeof *stream);
    byte_stream_start(stream, call->source, (int64_t)directory->offset);
    stream->end = (int64_t)(directory->offset + directory->size);
    bool read = true;
    for (uint64_t i = 0; i < directory->entries && read; i++) {
        read = read_entry(stream, sums);
    }
    free(stream);
    return read || damaged(problem, "an entry of its directory is not valid");
}

bool pytorch_zip_read(const struct format_call *call, struct problem *problem)
{
    struct model_file *file = call->file;
    struct directory directory = {0, 0, 0};
    struct zip_sums sums = {0};
    file->format = FORMAT_PYTORCH_ZIP;
    file->file_bytes = call->source->size;
    if (!find_directory(call->source, &directory, problem) ||
        !read_directory(call, &directory, &sums, problem)) {
        return false;
    }
    if (!sums.has_pickle) {
        return problem_set(problem, "%s is a zip archive without a PyTorch model in it",
                           call->path);
    }
    if (!sums.packed && sums.bytes > file->file_bytes) {
        return damaged(problem, "its tensors are larger than the file");
    }
    file->tensor_count = (uint64_t)sums.tensors;
    file->weights_known_bytes = sums.bytes;
    call->builder->parameters_known = false;
    hf_config_read(call);
    return true;
}

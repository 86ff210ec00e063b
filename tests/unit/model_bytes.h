/* Model files put together in memory, byte by byte as the formats are described, and an opener that
 * serves them. For tests. */
#ifndef TESTS_MODEL_BYTES_H
#define TESTS_MODEL_BYTES_H

#include <stdint.h>
#include <string.h>

#include "inspect/files/byte_source.h"

enum { BYTES_MAX = 64 * 1024, MEMORY_FILES_MAX = 8 };

struct bytes {
    char at[BYTES_MAX];
    size_t size;
    bool swaps;  /* numbers are written big-endian */
    bool narrow; /* GGUF v1: 32-bit lengths */
};

static inline void put(struct bytes *bytes, const void *from, size_t size)
{
    memcpy(bytes->at + bytes->size, from, size);
    bytes->size += size;
}

static inline void put_number(struct bytes *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t byte = bytes->swaps ? size - 1 - i : i;
        bytes->at[bytes->size++] = (char)(value >> 8 * byte);
    }
}

static inline void put_length(struct bytes *bytes, uint64_t value)
{
    put_number(bytes, value, bytes->narrow ? 4 : 8);
}

static inline void put_string(struct bytes *bytes, const char *string)
{
    put_length(bytes, strlen(string));
    put(bytes, string, strlen(string));
}

static inline void put_gguf(struct bytes *bytes, uint32_t version, uint64_t tensors, uint64_t keys)
{
    put(bytes, "GGUF", 4);
    put_number(bytes, version, 4);
    put_length(bytes, tensors);
    put_length(bytes, keys);
}

static inline void put_key_string(struct bytes *bytes, const char *key, const char *value)
{
    put_string(bytes, key);
    put_number(bytes, 8, 4);
    put_string(bytes, value);
}

static inline void put_key_u32(struct bytes *bytes, const char *key, uint32_t value)
{
    put_string(bytes, key);
    put_number(bytes, 4, 4);
    put_number(bytes, value, 4);
}

static inline void put_key_u16(struct bytes *bytes, const char *key, uint16_t value)
{
    put_string(bytes, key);
    put_number(bytes, 2, 4);
    put_number(bytes, value, 2);
}

static inline void put_tensor(struct bytes *bytes, const char *name, uint32_t type, uint64_t row,
                              uint64_t rows, uint64_t offset)
{
    put_string(bytes, name);
    put_number(bytes, rows ? 2 : 1, 4);
    put_length(bytes, row);
    if (rows) {
        put_length(bytes, rows);
    }
    put_number(bytes, type, 4);
    put_number(bytes, offset, 8);
}

/* Zeros up to a multiple of 32, then `size` more: the data. */
static inline void put_data(struct bytes *bytes, size_t size)
{
    size_t end = (bytes->size + 31) / 32 * 32 + size;
    memset(bytes->at + bytes->size, 0, end - bytes->size);
    bytes->size = end;
}

struct memory_files {
    const char *paths[MEMORY_FILES_MAX];
    const struct bytes *bytes[MEMORY_FILES_MAX];
    size_t count;
};

static inline bool memory_open(const struct byte_opener *opener, const char *path,
                               struct byte_source *source, struct problem *problem)
{
    const struct memory_files *files = opener->context;
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->paths[i], path) == 0) {
            *source = byte_source_over_memory(files->bytes[i]->at, files->bytes[i]->size);
            return true;
        }
    }
    return problem_set(problem, "cannot read %s: it is not there", path);
}

#endif

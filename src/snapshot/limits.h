/* What a snapshot that is read may hold at most, whoever reads it. */
#ifndef SNAPSHOT_LIMITS_H
#define SNAPSHOT_LIMITS_H

#include <stddef.h>
#include <stdint.h>

enum {
    SNAPSHOT_TEXTS_MAX = 65536, /* items of a list of texts */
    SNAPSHOT_NAMES_MAX = 1024,  /* of a struct named_bytes_list */
};

/* What all lists of a snapshot of so many bytes of text may take: a small text must not become a
 * huge snapshot. An honest object is about as long as its struct; the shortest that is accepted are
 * 30 times shorter. */
static inline size_t snapshot_list_bytes_limit(size_t size)
{
    return ((size_t)64 << 20) + 32 * (size < SIZE_MAX / 64 ? size : SIZE_MAX / 64);
}

#endif

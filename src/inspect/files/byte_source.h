/* Bytes of one file, read at positions of our choosing: a regular file of the real file system, one
 * of the observed machine's tree, or memory (tests, fuzzing). Reads are exact and bounded by the
 * size that the file had when it was opened; nothing is mapped, since a file may shrink under us.
 */
#ifndef INSPECT_FILES_BYTE_SOURCE_H
#define INSPECT_FILES_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"

struct root;

struct byte_source {
    int64_t size;       /* bytes, when it was opened */
    const char *memory; /* NULL: a file */
    intptr_t handle;    /* the door's own while memory is NULL */
};

/* A source over memory that outlives it. */
struct byte_source byte_source_over_memory(const char *bytes, size_t size);
/* Fills `buffer` with exactly `length` bytes from `offset`; false when they are not all there (any
 * more). Never blocks on anything but the disk. */
bool byte_source_read(const struct byte_source *source, int64_t offset, void *buffer,
                      size_t length);
/* Closes it; a closed one is empty. */
void byte_source_close(struct byte_source *source);

/* Where the files of a model come from: the one asked for and those that belong to it (further
 * parts, an index, config.json). `open` fills *source or says why not. */
struct byte_opener {
    bool (*open)(const struct byte_opener *opener, const char *path, struct byte_source *source,
                 struct problem *problem);
    const void *context;
};

/* The real file system: paths are UTF-8. Opens without blocking and without becoming anybody's
 * terminal; links are followed, anything but a regular file is refused. */
struct byte_opener byte_opener_real(void);
/* The observed machine: paths with or without leading slash, relative to its root. */
struct byte_opener byte_opener_root(const struct root *root);

#endif

/* A machine that loses its power may leave a file longer than what came to the disk: the rest is
 * zeros.
 */
#ifndef BASE_ZERO_TAIL_H
#define BASE_ZERO_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads exactly `size` bytes at a place of a file; false when they cannot be had. */
typedef bool zero_tail_read(void *context, int64_t at, char *bytes, size_t size);

/* The size of a file without the zeros it ends with, when there are 16 (what our formats end with
 * has fewer) to 16 MiB of them behind something else; else `size`. */
int64_t zero_tail_cut(zero_tail_read *read, void *context, int64_t size);

#endif

/* Chosen fields of a snapshot, read many times faster than snapshot_read() does: one pass over a
 * line, no tree, no copies of texts. What is read is what snapshot_read() would say, and all of the
 * line is checked as it would be; what is unusual (unknown words, an integer written as 5.0,
 * numbers of very many digits, more than a few unknown fields) is left to it, and so is what is
 * wrong. */
#ifndef SNAPSHOT_SCAN_H
#define SNAPSHOT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot/snapshot.h"

struct snapshot_scanner;

/* `wanted` names fields as TABLE.KEY, tables as fields.def calls them ("adapter.load_percent",
 * "gpu_use.vram_bytes"), ending in NULL. Lists and objects that hold one are entered by themselves;
 * a struct that is wanted for its number alone is named by any of its fields. Not to be had: reason
 * codes (`why_not` and its like), how a word or a list came to be, and fields of model_device. */
struct snapshot_scanner *scanner_new(const char *const *wanted);
void scanner_free(struct snapshot_scanner **scanner); /* NULL is allowed */

/* A snapshot of which only the wanted fields are to be used. Valid until the next call; its texts
 * are most often parts of `bytes`, and not NUL-terminated. NULL: use snapshot_read(). */
const struct snapshot *scanner_read(struct snapshot_scanner *scanner, const char *bytes,
                                    size_t size);

#endif

/* A snapshot with less in it: the adapters and processes that the user chose. What is summed stays
 * as it is: a choice is about what is listed. */
#ifndef SNAPSHOT_SELECTION_H
#define SNAPSHOT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "snapshot/snapshot.h"

struct selection {
    const char *const *selectors; /* selector.h; none: every adapter */
    size_t selector_count;
    const int64_t *pids; /* none: every process */
    size_t pid_count;
    bool active_only; /* only processes with GPU memory or load above 0 */
};

bool selection_has_adapter(const struct selection *selection, const struct snapshot *snapshot,
                           const struct adapter *adapter);
/* The first selector that no adapter of the snapshot matches; NULL: there is none. */
const char *selection_unmatched(const struct selection *selection, const struct snapshot *snapshot);
/* A shallow copy whose arrays live in the arena and refer into `snapshot`, which must be held
 * meanwhile. It is not reference-counted. */
struct snapshot selection_apply(const struct selection *selection, const struct snapshot *snapshot,
                                struct arena *arena);

#endif

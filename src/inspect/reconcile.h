/* Measured (or matched) memory of a process against what its models explain. Pure.
 *
 * Sets explained_bytes and unexplained_bytes of each of the process's adapters: explained is the
 * sum of what its models hold there, at most the memory itself; unexplained is the rest, never
 * negative. Both are unavailable where the memory is unknown or a model's share is. Totals are
 * never touched. */
#ifndef INSPECT_RECONCILE_H
#define INSPECT_RECONCILE_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

/* What became of one adapter of the process. */
enum reconcile_verdict {
    RECONCILE_NO_MODELS,      /* nothing of its models is on this adapter */
    RECONCILE_UNKNOWN_MEMORY, /* no figure to check against */
    RECONCILE_UNKNOWN_PARTS,  /* a model that may be here has no known size, or no known device */
    RECONCILE_EXPLAINED,      /* the rest is in unexplained_bytes */
    RECONCILE_OVER,           /* the parts exceed the memory: over_bytes says by how much */
};

struct reconciled {
    enum reconcile_verdict verdict;
    int64_t over_bytes;   /* while RECONCILE_OVER */
    int64_t parts_bytes;  /* sum of the known parts, not cut */
    enum how parts_how;   /* weakest of them: estimated before reported */
    int64_t memory_bytes; /* that the parts were checked against */
    enum how memory_how;  /* measured, or inferred (matched or guessed) */
};

/* Memory of a process on one adapter: VRAM, plus shared memory on a unified one. Measured where it
 * is, else inferred; unavailable otherwise. */
struct figure gpu_use_memory(const struct gpu_use *use, bool unified);

/* `adapters` are the snapshot's. results: NULL, or room for process->gpu_count items. */
void reconcile(const struct adapter *adapters, size_t adapter_count, struct process *process,
               struct reconciled *results);

#endif

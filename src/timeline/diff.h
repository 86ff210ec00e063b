/* What is different between two snapshots. Pure.
 *
 * Adapters pair by their stable id, and only when their PCI ids do not speak against it; processes
 * by identity, never by pid alone. Identities of two boots have nothing to do with each other. A
 * process whose start is unknown pairs only with one of the same name, and is said to be unsure.
 * Sums are of measured bytes only; how many processes they leave out stands beside them. */
#ifndef TIMELINE_DIFF_H
#define TIMELINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/problem.h"
#include "snapshot/snapshot.h"

enum diff_presence { DIFF_BOTH, DIFF_NEW, DIFF_GONE };

/* A measured figure before and after. */
struct diff_bytes {
    struct measured before, after;
};
/* Both are known or both unknown, and the values are equal. */
bool diff_bytes_equal(const struct diff_bytes *bytes);

enum diff_memory { /* in the order in which they are shown */
                   DIFF_VRAM_USED,
                   DIFF_ATTRIBUTED,
                   DIFF_UNATTRIBUTED,
                   DIFF_SHARED_USED,
                   DIFF_VRAM_TOTAL,
                   DIFF_VRAM_RESERVED,
                   DIFF_MEMORY_COUNT
};
const char *diff_memory_key(enum diff_memory memory); /* "vram_used_bytes" */

struct diff_class {
    enum process_class class;
    struct diff_bytes vram_bytes;     /* of its processes on this adapter; unknown where it has none
                                         with measured bytes */
    size_t before_count, after_count; /* processes */
    size_t before_unknown, after_unknown; /* of them without measured bytes */
};

struct diff_adapter {
    enum diff_presence presence;
    const struct adapter *before, *after; /* NULL: it is not there */
    struct diff_bytes memory[DIFF_MEMORY_COUNT];
    struct diff_class *classes; /* those that have a process before or after */
    size_t class_count;
    bool state_changed; /* power state */
    bool driver_changed;
    bool changed; /* anything of the above */
};

struct diff_use {
    struct text adapter_id;
    const struct gpu_use *before, *after; /* NULL: it does not use that adapter */
    struct diff_bytes vram_bytes, spill_bytes;
    bool inferred_changed; /* vram_inferred_bytes or inferred_by */
    bool changed;
};

struct diff_model {
    enum diff_presence presence;
    const struct model *before, *after;
    bool changed; /* its context, slots or layers on the GPU */
};

struct diff_process {
    enum diff_presence presence;
    const struct process *before, *after;
    bool unsure; /* its start is not known: it may be another one */
    struct diff_use *uses;
    size_t use_count;
    struct diff_model *models;
    size_t model_count;
    bool class_changed;
    bool changed; /* always true where it is new or gone */
};

/* One model, whoever holds it: by name, kind and quantization. */
struct diff_model_total {
    const struct model *model;
    size_t before_holders, after_holders; /* processes */
};

struct diff {
    const struct snapshot *before, *after;
    bool same_boot;
    double seconds; /* between the two: of the running clock, else of the wall clock */
    struct diff_adapter *adapters;
    size_t adapter_count;
    struct diff_process *processes; /* new, gone, changed, same; each by measured VRAM */
    size_t process_count;
    struct diff_model_total *models;
    size_t model_count;
    bool differs;
};

/* The result lives in the arena and refers to both snapshots. */
const struct diff *diff_make(const struct snapshot *before, const struct snapshot *after,
                             struct arena *arena);
/* False, with the reason, when the two are not of the same adapters. */
bool diff_same_adapters(const struct diff *diff, struct problem *problem);

#endif

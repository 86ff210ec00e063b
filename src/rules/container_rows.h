/* Whose process is a pid that NVML names?
 *
 * Outside a container every pid is of the local process table, also one that /proc does not show
 * (hidepid, another user, ended): a local row with an unknown start stamp. Inside one it depends on
 * the kernel module, which is told by what it does (reference nvidia.md section 6): where every
 * listed pid is a process here with GPU evidence, the lists are translated and rows are direct;
 * else they are host pids, which are paired with the processes here (container_pairing.h) and,
 * where that gives none, are H: rows, never looked up here. A process that just ended is not held
 * against a translated list, nor a number that exists here by chance against host pids: what was
 * found before decides, then the driver's version.
 *
 * Loads follow the owner. Where lists are translated and samples are not, they are paired on their
 * own (container_samples.h). 0 bytes of a live compute process on a translated pid are a driver
 * that looked the pid up in the wrong table: driver_hides. Source: SPEC section 5 (Containers). */
#ifndef RULES_CONTAINER_ROWS_H
#define RULES_CONTAINER_ROWS_H

#include <stdbool.h>

#include "reading/reading.h"
#include "rules/container_pairing.h"
#include "rules/nvml_processes.h"

struct container_seen {
    bool in_container;
    const struct system_reading *system; /* NULL: nothing is known of local processes */
    const struct nvml_seen *nvml;
    const struct nvml_rows *rows;
    bool lists_answered; /* false: NVML gave no answer in this refresh */
    int64_t self_pid;    /* 0: unknown */
};

/* A row of NVML with its owner. */
struct owned_row {
    struct nvml_row row; /* its loads are those of the owner */
    struct identity identity;
    const struct process_reading *process; /* details of the owner; NULL: none */
    enum pair_mark mark;      /* how the owner is known; PAIR_NONE: for certain, or outside */
    enum pair_mark load_mark; /* the same of its load */
};

struct container_rows;

struct container_rows *container_rows_new(void);
void container_rows_free(struct container_rows **state);
/* One result a row of `seen->rows`, in the same order, in `arena`. */
struct owned_row *container_rows_step(struct container_rows *state, struct arena *arena,
                                      const struct container_seen *seen);

#endif

/* The rows of the process table: a snapshot's processes, each with its figures folded over the
 * chosen adapters, chosen and ordered. Pure. Rows refer into the snapshot and are valid while it is
 * held. */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "view/columns.h"

/* A figure of a row, folded over adapters. */
struct amount {
    double value; /* bytes, percent or seconds; 0 while unknown */
    enum how how; /* HOW_UNAVAILABLE: unknown */
    enum inferred_by by;
    bool at_least; /* a lower bound: some adapter's part is not in it */
    bool blank;    /* unknown, and there is no such counter here */
    enum reason why_not;
};

static inline bool amount_is_known(const struct amount *amount)
{
    return amount->how != HOW_UNAVAILABLE;
}

struct row {
    const struct process *process;
    enum snapshot_mode mode; /* of the snapshot */
    size_t use_count;        /* of the process's gpus[] on the chosen adapters */
    const struct gpu_use
        *main_use; /* the one with most memory, then load; NULL when use_count is 0 */
    /* Bytes: measured parts are summed over adapters; a part that is not measured is never added:
     * beside a measured part it makes the sum a lower bound, alone the largest is shown with its
     * mark. Unknown only where no adapter gives any. */
    struct amount vram, spill, paged;
    struct amount shared; /* system RAM used by a GPU that shares it; blank on a discrete one */
    struct amount memory; /* vram, and shared with it: what a sort by VRAM compares */
    struct amount load;   /* percent: the busiest adapter */
    struct amount engines[ENGINE_COUNT]; /* percent: the busiest adapter of each */
    bool may_hold_memory;            /* on some adapter it is unknown and not known to be none */
    struct reason_set vram_reasons;  /* why vram is n/a, over the chosen adapters */
    struct amount cpu, ram, running; /* percent of one CPU, bytes, seconds */
    const struct model *main_model;  /* the one with most bytes; NULL: none known */
    /* In tree order: how deep under a shown ancestor, and whether it is its parent's last child. */
    size_t depth;
    bool last_child;
    struct row_order { /* the sort key, filled by rows_build() */
        double number;
        struct text text;
        bool unknown, by_text, reverse;
    } order;
};

struct filter;

struct rows_options {
    /* Ids of the chosen adapters (a parent stands for its MIG instances too); count 0: all. */
    const struct text *adapters;
    size_t adapter_count;
    const int64_t *pids; /* count 0: all */
    size_t pid_count;
    struct text user;            /* TEXT_NONE: all */
    const struct filter *filter; /* NULL: none */
    bool all;  /* false, and no pids chosen: only what holds GPU memory (or may: an unknown VRAM is
                * not known to be none) or has load above 0 */
    bool tree; /* children under their parent, siblings in the sort order */
    enum column sort; /* COLUMN_vram: measured or inferred; unknown last either way; ties by pid */
    bool reverse;     /* numbers go largest first, texts first to last; this turns it round */
};

struct rows {
    struct row *items;
    size_t count, capacity;
    size_t left_out; /* processes on the chosen adapters not shown only because `all` is off */
};

/* Whether the adapter of this id is among the chosen ones, or part of one. */
bool rows_choose_adapter(const struct rows_options *options, const struct snapshot *snapshot,
                         struct text adapter_id);

/* Fills `rows` (zeroed before its first use; the memory is used again). */
void rows_build(struct rows *rows, const struct snapshot *snapshot,
                const struct rows_options *options);
void rows_free(struct rows *rows);
/* The row's place, or `rows->count` when it is not shown. */
size_t rows_find(const struct rows *rows, struct identity identity);

/* One process folded over the adapters of the options: for a process outside the table. */
void row_fold(struct row *row, const struct snapshot *snapshot, const struct process *process,
              const struct rows_options *options);

/* The amount behind a column (for VRAM: memory); NULL for one of texts, pid, and video (three
 * engines). */
const struct amount *row_amount(const struct row *row, enum column column);
/* The words for a class on screen ("LLM", "desktop"). Static. "" for CLASS_OTHER. */
const char *class_words(enum process_class class);

#endif

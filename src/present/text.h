/* Plain text: --once and --list-gpus. Never an escape sequence; every text from outside goes
 * through text_out(). */
#ifndef PRESENT_TEXT_H
#define PRESENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "snapshot/snapshot.h"
#include "view/rows.h"

struct text_options {
    size_t width; /* of a terminal, in cells; 0: no limit (a pipe, a file): nothing is cut */
    bool ascii;   /* also when the locale is not UTF-8 */
    struct rows_options rows;
};

/* The whole picture: the machine, each adapter with its memory map, the processes, why something is
 * n/a. Writing errors stay in the FILE for the caller. */
void text_snapshot(FILE *file, const struct snapshot *snapshot, const struct text_options *options);
/* One process: who it is, how that is known, what it has on each adapter. Its models are
 * text_models.h's business. */
void text_process(FILE *file, const struct process *process, const struct text_options *options);
/* The adapters and what tells them apart. options->rows.adapters chooses. */
void text_list_gpus(FILE *file, const struct snapshot *snapshot,
                    const struct text_options *options);

#endif

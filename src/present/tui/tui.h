/* The live terminal screen: any source of snapshots, on any terminal. Runs on the calling thread
 * and never waits for anything but a key, a signal or a snapshot. */
#ifndef PRESENT_TUI_TUI_H
#define PRESENT_TUI_TUI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "screen/screen.h"
#include "settings/config.h"
#include "source/source.h"
#include "view/columns.h"

struct tui_options {
    struct screen_options screen; /* with the wake of signals_start() */
    /* Signalled by the source (source_notify() is called here). Made and freed by the caller,
     * because it must outlive the source. */
    struct wake *snapshots;
    struct config *config;        /* the setup screen changes and saves it; NULL: there is none */
    struct column_layout columns; /* shown, in their order; widths are not used */
    enum column sort;
    bool reverse, all, tree;
    const char *charts; /* "all", "none", or a chart's name */
    bool ascii_only;    /* --ascii: the setup screen cannot ask for more */
    bool blocks;        /* charts of blocks, not of braille */
    bool braille;       /* also where the font may lack it */
    /* -g: which adapters the table lists; count 0: all. See snapshot/selector.h. */
    const char *const *selectors;
    size_t selector_count;
    const int64_t *pids; /* -p; count 0: all */
    size_t pid_count;
};

/* Shows the source until the user leaves. The terminal is given back before it returns; the source
 * is still open and belongs to the caller. Returns the exit status: 0, 128 + the number of the
 * signal that ended it, or 1 with the reason in *problem. */
int tui_run(struct source *source, const struct tui_options *options, struct problem *problem);

#endif

/* One adapter on the screen: what adapters_panel.c and the legend of its bar share. */
#ifndef PRESENT_TUI_ADAPTER_BLOCK_H
#define PRESENT_TUI_ADAPTER_BLOCK_H

#include "present/tui/map_bar.h"
#include "present/tui/ui.h"
#include "view/adapter_line.h"

enum { LEGEND_GAP = 2 };

/* One adapter being drawn. */
struct block {
    struct ui *ui;
    const struct adapter *adapter;
    struct rectangle area;
    size_t slot; /* of the layout */
    struct adapter_fact facts[FACT_KIND_COUNT];
    size_t fact_count;
};

/* adapter_legend.c: the words below the bar. All begin at x and end before `right`, and return
 * where the next may begin; they need ui->map built for this adapter. */

/* Processes of the bar, each with its parts, the largest first; then the rest by class. */
int legend_processes(const struct block *block, int x, int y, int right);
/* What each class holds, models apart: their parts stand above. */
void legend_classes(const struct block *block, int x, int y, int right);
/* What a discrete GPU has in system RAM: a thin bar on the scale of the one above it. */
int legend_spill(const struct block *block, int x, int y, int right, int scale_width);
/* The two pools of a GPU that shares the system's memory. */
int legend_pools(const struct block *block, int x, int y, int right);
/* What models should take whose process's bytes are not known: in words, since it has no segment.
 */
int legend_unplaced(const struct block *block, int x, int y, int right);
/* The notes of the map, in few words: the text output has whole sentences. */
void legend_notes(const struct block *block, int x, int y, int right);

#endif

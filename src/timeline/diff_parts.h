/* The parts of comparing two snapshots: for diff.c and its parts. */
#ifndef TIMELINE_DIFF_PARTS_H
#define TIMELINE_DIFF_PARTS_H

#include "timeline/diff.h"

void diff_compare_adapter(const struct diff *diff, struct diff_adapter *pair, struct arena *arena);
void diff_add_processes(struct diff *diff, struct arena *arena);
void diff_add_models(struct diff *diff, struct arena *arena);

#endif

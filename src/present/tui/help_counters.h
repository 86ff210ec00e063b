/* The counters in the help page. Internal to help*.c. */
#ifndef PRESENT_TUI_HELP_COUNTERS_H
#define PRESENT_TUI_HELP_COUNTERS_H

#include "present/tui/page.h"
#include "snapshot/snapshot.h"

/* All figures of an adapter and of a process (either may be NULL: then only what they mean). */
void help_counters(struct page *page, const struct adapter *adapter, const struct process *process);
/* The sources of this machine, their state, and the snapshot's notes. */
void help_sources(struct page *page, const struct snapshot *snapshot);

#endif

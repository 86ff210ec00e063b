/* What one adapter does, from Windows' own counters of one sample: for the Windows backend, and for
 * a GPU of the Windows host that nothing in WSL speaks for.
 *
 * Memory is that of the adapter's counters, linked parts added up, never a sum of processes. One
 * with less than 1 GiB of its own shares the system's memory (no card with a WDDM 2 driver has so
 * little): its total and use are both pools together. Its
 * load is that of its busiest engine, an engine's the sum over the processes on it: an engine is
 * one queue, so more than 100 is jitter and is 100. Source: SPEC sections 3 and 5 (Windows),
 * reference windows.md 1.6. */
#ifndef RULES_WDDM_ADAPTERS_H
#define RULES_WDDM_ADAPTERS_H

#include "base/arena.h"
#include "reading/adapter.h"
#include "reading/wddm.h"

/* How Windows describes an adapter; NULL: it does not. */
const struct wddm_adapter *wddm_adapter_find(const struct wddm_sample *sample, uint64_t luid);
/* Fills memory and loads alone, and the kind where memory tells it. */
void wddm_adapter_figures(struct arena *arena, const struct wddm_sample *sample,
                          const struct wddm_adapter *about, struct adapter_reading *adapter);
/* Fills name, vendor, memory and loads; all else is unknown (not_reported). The id is the LUID's.
 */
void wddm_adapter_read(struct arena *arena, const struct wddm_sample *sample,
                       const struct wddm_adapter *about, struct adapter_reading *adapter);

#endif

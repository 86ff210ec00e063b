/* What follows from what the kernel says about an adapter: whether it is a GPU at all, of what
 * kind, what it has. Pure. Source: reference windows.md section 2. */
#ifndef GPU_WDDM_ADAPTER_KIND_H
#define GPU_WDDM_ADAPTER_KIND_H

#include <stdbool.h>

#include "base/arena.h"
#include "reading/adapter.h"
#include "reading/wddm.h"
#include "reading/wddm_facts.h"

/* NULL for a GPU; else why it is none: Windows' software adapter, an indirect display (it shows the
 * description of the card that renders for it), one that only displays, an NPU. Only what is told
 * rules an adapter out: older drivers do not say everything. */
const char *adapter_is_no_gpu(const struct adapter_facts *facts);
/* One memory with the system: all its segments are local though it may use the system's memory, or
 * the machine says that it is the integrated one of two. */
enum wddm_memory adapter_memory(const struct adapter_facts *facts);
/* How Windows describes it: name, vendor, memory and sizes. */
void adapter_describe(const struct adapter_facts *facts, struct wddm_adapter *about);
/* Identity: id (its PCI address where it has one, else its LUID), name, ids, driver, kind. Texts
 * live in `arena`. */
void adapter_identify(struct arena *arena, const struct adapter_facts *facts,
                      struct adapter_reading *adapter);
/* Temperature, fan and memory clock, where they can be true; a struct of zeros says nothing. */
void adapter_set_perf(const struct adapter_perf *perf, struct adapter_reading *adapter);

#endif

/* The adapters of a Windows machine as the kernel tells them (D3DKMT, gdi32.dll): facts, no policy.
 * Live: gpu/wddm/windows/d3dkmt_door.c; a recorded machine has adapters.json. What a driver or a
 * Windows does not answer is unknown. Rules over them: gpu/wddm/adapter_kind.h. Source: reference
 * windows.md section 2. */
#ifndef GPU_WDDM_ADAPTER_FACTS_H
#define GPU_WDDM_ADAPTER_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/wddm_facts.h"

/* All adapters that EnumAdapters3 or 2 lists, software and display-only ones too, in its order,
 * with everything but `perf`. Every handle is closed again. Asks no device that sleeps: nothing
 * here is read from the hardware. False: no such calls (or they failed): unknown, not none. */
bool adapter_facts_list(struct arena *arena, struct adapter_facts_list *list);
/* What the driver measures now (KMTQAITYPE_ADAPTERPERFDATA, Windows 10 1803 and later), of one
 * physical adapter of the LUID. A struct of zeros is told as it is. False: not answered. */
bool adapter_facts_perf(uint64_t luid, uint32_t physical, struct adapter_perf *perf);
/* The fastest 3D engine's clock now and at most (NODEPERFDATA), Hz. */
void adapter_facts_clocks(uint64_t luid, uint32_t physical, struct measured *now_hz,
                          struct measured *most_hz);

#endif

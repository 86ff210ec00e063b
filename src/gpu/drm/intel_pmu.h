/* Loads of an Intel GPU's engines, and the power of an integrated one, from the kernel's
 * performance counters. They need CAP_PERFMON, or kernel.perf_event_paranoid at 0 or below;
 * without, everything is not_permitted.
 *
 * Sources: i915_pmu.c (busy nanoseconds an engine), xe_pmu.c of 6.15 (active and total ticks), the
 * RAPL unit "power" (energy-gpu: the graphics domain). An open xe event keeps the card awake, so
 * the counters are only held while something uses it. */
#ifndef GPU_DRM_INTEL_PMU_H
#define GPU_DRM_INTEL_PMU_H

#include <stdbool.h>

#include "gpu/drm/adapters.h"
#include "gpu/drm/driver.h"

struct intel_pmu;

struct intel_pmu *intel_pmu_new(void);
void intel_pmu_free(struct intel_pmu **pmu);

/* Fills load and engines, and for an integrated GPU power, of an awake card. `may_hold`: something
 * keeps it awake anyway; else the counters are given back. adapter->remedy says what would permit
 * them. */
void intel_pmu_read(struct intel_pmu *pmu, const struct drm_look *look, struct drm_adapter *adapter,
                    bool may_hold, struct adapter_reading *out);
/* Gives the counters back: the card sleeps, or may fall asleep. */
void intel_pmu_release(struct intel_pmu *pmu);

/* What permits what only CAP_PERFMON may read: one line for people. */
const char *intel_pmu_remedy(void);

#endif

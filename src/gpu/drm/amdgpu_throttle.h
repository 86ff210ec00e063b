/* Why an AMD GPU slows itself down, from gpu_metrics: firmware's word, so always reported. */
#ifndef GPU_DRM_AMDGPU_THROTTLE_H
#define GPU_DRM_AMDGPU_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/drm/gpu_metrics.h"
#include "reading/adapter.h"

enum { AMDGPU_RESIDENCY_COUNT = METRIC_RESIDENCY_THM_HBM - METRIC_RESIDENCY_PROCHOT + 1 };

/* The counters of the last sample (v3 tables, and 1.6 on, count time spent throttled). A zeroed one
 * is none. */
struct amdgpu_residencies {
    bool known;
    struct measured counts[AMDGPU_RESIDENCY_COUNT];
};

/* Sets throttle_how, throttle_why_not, throttle_reasons and throttle_count. */
void amdgpu_throttle_read(const struct gpu_metrics *metrics, struct amdgpu_residencies *last,
                          struct adapter_reading *out);

#endif

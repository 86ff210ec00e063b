/* NVIDIA's own kernel driver as DRM sees it: identity and power state. NVML brings the rest. */
#include "gpu/drm/driver.h"

static const struct drm_region_rule regions[] = {{NULL, DRM_POOL_OTHER}};
static const struct drm_engine_rule engines[] = {{NULL, ENGINE_other}};

const struct drm_driver drm_driver_nvidia = {
    .name = "nvidia",
    .vendor = "nvidia",
    .regions = regions,
    .engines = engines,
    .figures_from = "nvml",
};

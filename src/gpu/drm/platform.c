/* GPUs of systems on a chip: panthor, panfrost and lima (Mali), msm (Adreno), etnaviv (Vivante),
 * asahi (Apple), powervr (Imagination), vc4 (VideoCore of the Raspberry Pi 0 to 3). They share the
 * system's memory; clocks come from devfreq. v3d has a file of its own. Sources: the drivers'
 * usage-stats documents; the names of the platform drivers that their DRM devices are bound by. */
#include "gpu/drm/sensors.h"

static const struct drm_region_rule memory_regions[] = {
    {"memory", DRM_POOL_SHARED},
    {NULL, DRM_POOL_OTHER},
};
static const struct drm_engine_rule panthor_engines[] = {{"panthor", ENGINE_gfx},
                                                         {NULL, ENGINE_other}};
static const struct drm_engine_rule panfrost_engines[] = {
    {"fragment", ENGINE_gfx}, {"vertex-tiler", ENGINE_gfx}, {NULL, ENGINE_other}};
static const struct drm_engine_rule msm_engines[] = {{"gpu", ENGINE_gfx}, {NULL, ENGINE_other}};
/* The cores of one chip have names of their own. */
static const struct drm_engine_rule etnaviv_engines[] = {
    {"2D", ENGINE_gfx}, {"3D", ENGINE_gfx}, {"VG", ENGINE_gfx}, {NULL, ENGINE_other}};
static const struct drm_engine_rule plain_engines[] = {
    {"gpu", ENGINE_gfx}, {"render", ENGINE_gfx}, {"compute", ENGINE_compute}, {NULL, ENGINE_other}};

/* The DRM device of msm is the display controller where there is one. */
static const char *const msm_bound[] = {"msm_dpu",  "msm-dpu",  "msm_mdp", "msm-mdp", "mdp4",
                                        "msm_mdss", "msm-mdss", "adreno",  NULL};
static const char *const vc4_bound[] = {"vc4-drm", NULL};

#define PLATFORM_DRIVER(symbol, made_by, table, says, ...)                                         \
    const struct drm_driver drm_driver_##symbol = {.name = #symbol,                                \
                                                   .vendor = made_by,                              \
                                                   .regions = memory_regions,                      \
                                                   .engines = table,                               \
                                                   .statistics = says,                             \
                                                   .shares_memory = true,                          \
                                                   .discover = drm_sensors_discover,               \
                                                   .read_memory = drm_sensors_read_unified,        \
                                                   .read_sensors = drm_sensors_read,               \
                                                   __VA_ARGS__}

PLATFORM_DRIVER(panthor, "arm", panthor_engines, DRM_STATISTICS_PRINTED, .bound_names = NULL);
PLATFORM_DRIVER(panfrost, "arm", panfrost_engines, DRM_STATISTICS_PERHAPS, .bound_names = NULL);
PLATFORM_DRIVER(lima, "arm", plain_engines, DRM_STATISTICS_PERHAPS, .bound_names = NULL);
PLATFORM_DRIVER(msm, "qualcomm", msm_engines, DRM_STATISTICS_PRINTED, .bound_names = msm_bound,
                .is_bound_by_display = true);
PLATFORM_DRIVER(etnaviv, "vivante", etnaviv_engines, DRM_STATISTICS_PERHAPS, .bound_names = NULL);
PLATFORM_DRIVER(asahi, "apple", plain_engines, DRM_STATISTICS_PERHAPS, .bound_names = NULL);
PLATFORM_DRIVER(powervr, "imagination", plain_engines, DRM_STATISTICS_PERHAPS, .bound_names = NULL);
PLATFORM_DRIVER(vc4, "broadcom", plain_engines, DRM_STATISTICS_PERHAPS, .bound_names = vc4_bound);

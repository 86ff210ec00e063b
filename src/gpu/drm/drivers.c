#include <string.h>

#include "gpu/drm/adapters.h"
#include "gpu/drm/driver.h"
#include "gpu/drm/sensors.h"

/* A driver nobody described: its standard keys are read, and what is called "memory" or "system" is
 * ordinary memory, as the kernel's document says. */
static const struct drm_region_rule unlisted_regions[] = {
    {"memory", DRM_POOL_SHARED}, {"system", DRM_POOL_SHARED}, {"gtt", DRM_POOL_SHARED},
    {"vram", DRM_POOL_VRAM},     {"local", DRM_POOL_VRAM},    {NULL, DRM_POOL_OTHER},
};
static const struct drm_engine_rule unlisted_engines[] = {
    {"gpu", ENGINE_gfx},         {"render", ENGINE_gfx}, {"gfx", ENGINE_gfx},
    {"compute", ENGINE_compute}, {"copy", ENGINE_copy},  {NULL, ENGINE_other},
};

static const struct drm_driver drm_driver_unlisted = {
    .name = "",
    .regions = unlisted_regions,
    .engines = unlisted_engines,
    .statistics = DRM_STATISTICS_PERHAPS,
    .discover = drm_sensors_discover,
    .read_sensors = drm_sensors_read,
};

static const struct drm_driver *const drivers[] = {
#define DRIVER(symbol) &drm_driver_##symbol,
#include "gpu/drm/drivers.def"
#undef DRIVER
};

static bool is_called(const struct drm_driver *driver, const char *name)
{
    if (strcmp(driver->name, name) == 0) {
        return true;
    }
    for (const char *const *other = driver->bound_names; other != NULL && *other != NULL; other++) {
        if (strcmp(*other, name) == 0) {
            return true;
        }
    }
    return false;
}

const struct drm_driver *drm_driver_find(const char *name)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        if (is_called(drivers[i], name)) {
            return drivers[i];
        }
    }
    return &drm_driver_unlisted;
}

/* "vram0" and "enc_1" are instances of "vram" and "enc". */
static bool name_matches(const char *rule, const char *name)
{
    size_t length = strlen(rule);
    if (strncmp(rule, name, length) != 0) {
        return false;
    }
    name += length;
    if (*name == '\0') {
        return true;
    }
    name += *name == '_';
    return *name != '\0' && strspn(name, "0123456789") == strlen(name);
}

enum drm_pool drm_driver_pool(const struct drm_driver *driver, const char *region)
{
    for (const struct drm_region_rule *rule = driver->regions; rule->name != NULL; rule++) {
        if (name_matches(rule->name, region)) {
            return rule->pool;
        }
    }
    return DRM_POOL_OTHER;
}

enum engine drm_driver_column(const struct drm_driver *driver, const char *engine)
{
    for (const struct drm_engine_rule *rule = driver->engines; rule->name != NULL; rule++) {
        if (name_matches(rule->name, engine)) {
            return rule->column;
        }
    }
    return ENGINE_other;
}

uint32_t drm_driver_columns(const struct drm_driver *driver, bool video_is_unified)
{
    uint32_t columns = 0;
    for (const struct drm_engine_rule *rule = driver->engines; rule->name != NULL; rule++) {
        columns |= UINT32_C(1) << rule->column;
    }
    if (video_is_unified) {
        columns &= ~(UINT32_C(1) << ENGINE_decode | UINT32_C(1) << ENGINE_encode);
        columns |= UINT32_C(1) << ENGINE_video;
    }
    return columns;
}

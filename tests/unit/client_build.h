/* Builds DRM client readings for the tests of rules: an amdgpu client that nothing speaks against,
 * to be bent by each row. */
#ifndef TESTS_CLIENT_BUILD_H
#define TESTS_CLIENT_BUILD_H

#include <string.h>

#include "reading/drm_client.h"

#define ADAPTER_A "pci:0000:03:00.0"
#define ADAPTER_B "pci:0000:0c:00.0"

enum { MIB = 1 << 20 };

static inline struct identity process_identity(int64_t pid)
{
    return identity_make(NAMESPACE_LOCAL, pid, (uint64_t)pid * 10);
}

static inline void add_region(struct drm_client_reading *reading, const char *name,
                              enum drm_pool pool, int64_t resident, int64_t shared)
{
    struct drm_region *region = &reading->regions[reading->region_count++];
    memset(region, 0, sizeof *region);
    memcpy(region->name, name, strlen(name));
    region->pool = pool;
    region->resident = measured_known(resident);
    region->shared = measured_known(shared);
}

static inline void add_engine(struct drm_client_reading *reading, const char *name,
                              enum engine column, int64_t busy_ns)
{
    struct drm_engine *engine = &reading->engines[reading->engine_count++];
    memset(engine, 0, sizeof *engine);
    memcpy(engine->name, name, strlen(name));
    engine->column = column;
    engine->busy_ns = measured_known(busy_ns);
    engine->capacity = 1;
}

static inline struct drm_client_reading amd_client(int64_t pid, int32_t fd, uint64_t client_id)
{
    struct drm_client_reading reading = {
        .holder = process_identity(pid),
        .fd = fd,
        .adapter_id = ADAPTER_A,
        .node = "renderD128",
        .state = DRM_CLIENT_READ,
        .has_client_id = true,
        .client_id = client_id,
        .has_shared_keys = true,
        .missing_engine_is_zero = true,
        .engine_columns = 1 << ENGINE_gfx | 1 << ENGINE_compute | 1 << ENGINE_copy |
                          1 << ENGINE_decode | 1 << ENGINE_encode | 1 << ENGINE_jpeg,
        .read_running_ns = 1000000000,
    };
    add_region(&reading, "vram", DRM_POOL_VRAM, 100 * (int64_t)MIB, 0);
    add_region(&reading, "gtt", DRM_POOL_SHARED, 10 * (int64_t)MIB, 0);
    return reading;
}

#endif

/* What a DRM driver said about one open descriptor: the text of /proc/PID/fdinfo/FD, read once.
 * Source: Documentation/gpu/drm-usage-stats.rst. */
#ifndef READING_DRM_CLIENT_H
#define READING_DRM_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/engines.h"
#include "reading/identity.h"
#include "reading/measured.h"
#include "reading/pass.h"

enum { DRM_REGIONS_MAX = 16, DRM_ENGINES_MAX = 24, DRM_NAME_SIZE = 32 };

enum drm_pool { DRM_POOL_VRAM, DRM_POOL_SHARED, DRM_POOL_OTHER };

struct drm_region {
    char name[DRM_NAME_SIZE]; /* "vram", "gtt", "local0", "system0" ... */
    enum drm_pool pool;       /* by the driver's table */
    /* Bytes. `memory` is the deprecated alias of resident. */
    struct measured total, shared, resident, memory, purgeable;
};

struct drm_engine {
    char name[DRM_NAME_SIZE];
    enum engine column; /* by the driver's table */
    struct measured busy_ns;
    struct measured cycles, total_cycles, max_frequency_hz;
    int64_t capacity; /* identical engines in this class; 1 when not said */
};

enum drm_client_state {
    DRM_CLIENT_READ,
    DRM_CLIENT_INCOMPLETE,    /* could not be read, or only in part */
    DRM_CLIENT_LEGACY,        /* amdgpu 5.14-5.18: no drm- keys, no client id */
    DRM_CLIENT_NO_STATISTICS, /* the driver publishes none */
    DRM_CLIENT_NOT_TOUCHED,   /* its adapter sleeps and reading would wake it */
};

/* One descriptor of one process. The same client (adapter, client id) appears once per descriptor
 * and holder: ownership is a rule, not a reading. */
struct drm_client_reading {
    struct identity holder;
    int32_t fd;
    char adapter_id[ADAPTER_ID_SIZE]; /* the adapter of its node, or of drm-pdev */
    char node[DRM_NAME_SIZE];         /* "renderD128" */
    uint64_t device_number;           /* of the node */
    bool primary_node;
    enum drm_client_state state;
    bool has_client_id;
    uint64_t client_id;
    bool has_shared_keys; /* at least one drm-shared-* key, and one for every region with resident
                             bytes */
    struct drm_region regions[DRM_REGIONS_MAX];
    size_t region_count;
    struct drm_engine engines[DRM_ENGINES_MAX];
    size_t engine_count;
    /* A missing engine line of this driver means 0 so far (amdgpu), not "not reported". */
    bool missing_engine_is_zero;
    uint32_t engine_columns; /* 1 << enum engine: the columns this driver can deliver at all */
    struct measured evicted_vram_bytes; /* amdgpu: VRAM demand that lives in system memory now */
    int64_t read_running_ns;            /* running clock right after the read */
};

/* KFD's (ROCm's) own word on a process: /sys/class/kfd/kfd/proc/PID. A cross-check, never added. */
struct kfd_process_reading {
    int64_t pid; /* host pid */
    char adapter_id[ADAPTER_ID_SIZE];
    struct measured vram_bytes;
};

#endif

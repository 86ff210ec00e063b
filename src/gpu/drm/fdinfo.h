/* The grammar of /proc/PID/fdinfo/FD of a DRM node: pure, over text already read.
 * Source: Documentation/gpu/drm-usage-stats.rst; amdgpu 5.14-5.18: amdgpu_fdinfo.c of those
 * kernels.
 *
 * `key: value [unit]` lines, split at the first colon. Sizes are bytes without a unit, else KiB,
 * MiB or GiB (kB of old amdgpu means KiB). The first drm-client-id is the identity (amdgpu repeats
 * it with its own number on some kernels); of any other repeated key the later value counts. A
 * value that does not fit stays unknown (incredible_value), one of another form too (call_failed).
 */
#ifndef GPU_DRM_FDINFO_H
#define GPU_DRM_FDINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "reading/drm_client.h"
#include "reading/pass.h"

struct fdinfo {
    char driver[DRM_NAME_SIZE];        /* drm-driver; "" when not said */
    char pci_address[ADAPTER_ID_SIZE]; /* drm-pdev in lower case; "" when not said */
    bool has_drm_keys;                 /* any key that begins with "drm-" */
    bool has_regions, has_engines;     /* any memory, any engine or cycles key */
    bool is_legacy;                    /* the keys of amdgpu 5.14-5.18 */
    bool overflowed;                   /* more regions or engines than fit */
};

/* Fills *info and, of *client, what the text says: has_client_id, client_id, has_shared_keys,
 * regions (pool left 0), engines (column left 0), evicted_vram_bytes. The rest of *client is not
 * touched. */
void fdinfo_parse(struct raw_text text, struct fdinfo *info, struct drm_client_reading *client);

/* A size with its unit, in bytes. */
struct measured fdinfo_parse_size(struct raw_text value);

#endif

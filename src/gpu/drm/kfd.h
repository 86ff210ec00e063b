/* KFD, the kernel's side of ROCm: which KFD device is which adapter, and how much memory each of
 * its processes holds by its own count. A cross-check of fdinfo, never added to it (the same
 * bytes). */
#ifndef GPU_DRM_KFD_H
#define GPU_DRM_KFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "os/root.h"
#include "reading/drm_client.h"

enum { KFD_DEVICES_MAX = 256 };

struct kfd_device {
    int64_t gpu_id;               /* KFD's number; never 0 */
    uint32_t render_minor;        /* its render node, 226:minor */
    char pci_id[ADAPTER_ID_SIZE]; /* "pci:0000:05:00.0": the package of a partition */
};

struct kfd {
    struct kfd_device devices[KFD_DEVICES_MAX];
    size_t device_count;
};

/* `key value` lines of a node's properties: pure. False for a CPU node or without a render minor.
 */
bool kfd_parse_properties(struct raw_text text, struct kfd_device *device);

/* Reads the topology. Never wakes a card. */
void kfd_read_topology(const struct root *root, struct arena *scratch, struct kfd *kfd);
/* The package that owns a render node, or NULL. */
const struct kfd_device *kfd_by_render_minor(const struct kfd *kfd, uint32_t render_minor);

/* The processes that have KFD open, with their memory a package. `adapter_of` names the adapter of
 * a device (NULL: none). The array lives in the arena. */
size_t kfd_read_processes(const struct root *root, struct arena *scratch, struct arena *arena,
                          const struct kfd *kfd,
                          const char *(*adapter_of)(const struct kfd_device *device, void *context),
                          void *context, const struct kfd_process_reading **processes);

#endif

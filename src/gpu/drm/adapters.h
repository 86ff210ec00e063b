/* The GPUs that the kernel's DRM drivers offer, found from sys/class/drm without touching a
 * sleeping one, and what is remembered of each as long as it is plugged in. */
#ifndef GPU_DRM_ADAPTERS_H
#define GPU_DRM_ADAPTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/drm/driver.h"
#include "gpu/drm/hwmon.h"
#include "gpu/drm/kfd.h"
#include "gpu/drm/names.h"
#include "gpu/drm/runtime_pm.h"
#include "gpu/drm/sysfs.h"
#include "reading/adapter.h"

struct drm_node {
    char name[DRM_NAME_SIZE]; /* "renderD128" */
    uint64_t device_number;   /* major << 32 | minor */
    bool primary;
};

struct drm_adapter {
    char id[ADAPTER_ID_SIZE];
    char folder[SYSFS_PATH_SIZE]; /* "sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0" */
    char driver_name[DRM_NAME_SIZE];
    const struct drm_driver *driver;
    char compatible[64]; /* OF_COMPATIBLE_0, or "" */
    bool has_pci_ids;
    uint32_t pci_vendor, pci_device, pci_subsystem_vendor, pci_subsystem_device, pci_revision;
    bool display_only;                        /* it has a render node, and drives no GPU */
    struct drm_node nodes[ADAPTER_NODES_MAX]; /* cards first; partitions' nodes at their package */
    size_t node_count;
    int32_t order; /* the driver's own: by the smallest node */

    /* Read once. */
    char name[ADAPTER_NAME_SIZE]; /* "" until asked for */
    bool name_is_final;           /* false: the product name could not be looked at asleep */
    char driver_version[64];
    bool discovered; /* the driver's discover() has run */
    enum adapter_kind kind;
    bool kind_is_inferred;
    bool unified;
    bool video_is_unified;
    struct hwmon hwmon;
    char link_folder[SYSFS_PATH_SIZE];
    char clock_folder[SYSFS_PATH_SIZE]; /* in devfreq; "" where there is none */
    bool has_profiling_file;            /* panfrost, panthor: engine times are off by default */
    struct said pcie_max_generation, pcie_max_width;
    struct said max_clock_hz[CLOCK_COUNT];
    char partition_modes[32]; /* "CPX, NPS1"; "" where there are none */
    char unique_id[24]; /* of the chip, to tell a card from another; never shown. "": unknown */
    void *driver_state; /* the driver's own */

    /* Of this pass. */
    enum power_state power_state;
    bool may_read;      /* sensors and, where they wake it, clients */
    bool has_clients;   /* seen in this pass */
    bool had_load;      /* in the last reading */
    bool has_printed;   /* its clients have shown usage keys before */
    const char *remedy; /* what to do about a figure that is not permitted; NULL: nothing. Static */
    struct idle_watch idle;
};

struct drm_adapters {
    struct drm_adapter **items; /* by id; partitions of a package are its nodes */
    size_t count, capacity;
    struct kfd kfd;
    char *names; /* of sys/class/drm at the last look, joined: tells that something changed */
    int64_t looked_ns;
};

/* Looks again when the names in sys/class/drm have changed, half a minute has passed, or the tree
 * is a recorded one. An adapter that is still there keeps what is known of it; another one at its
 * address does not. */
void drm_adapters_refresh(struct drm_adapters *adapters, const struct root *root,
                          struct arena *scratch, int64_t now_ns);
/* The next refresh looks again. */
void drm_adapters_look_again(struct drm_adapters *adapters);
/* The device is gone: takes it off the list. What was known of it goes too, so that another card
 * which is plugged in at its address starts anew. */
void drm_adapters_drop(struct drm_adapters *adapters, size_t index);
void drm_adapters_clear(struct drm_adapters *adapters);

struct drm_adapter *drm_adapter_by_id(const struct drm_adapters *adapters, const char *id);
/* The adapter and node of a device number; NULL when no GPU has it (display-only cards). */
struct drm_adapter *drm_adapter_by_device(const struct drm_adapters *adapters,
                                          uint64_t device_number, const struct drm_node **node);

/* The folder of the device behind a node: sys/devices/.../DEVICE of DEVICE/drm/NODE. */
bool drm_node_device_folder(const struct root *root, const char *node, char out[SYSFS_PATH_SIZE]);
/* True for "card1" and "renderD128", false for connectors and others. Pure. */
bool drm_node_name_is_valid(const char *name);

#endif

/* Runtime device names to adapters. Pure.
 *
 * A runtime counts the devices that it sees: CUDA0 is the first of CUDA_VISIBLE_DEVICES, not the
 * first card. A bus id in the load log decides; else the variable; else the only card there is, or
 * the vendor's order where that is certain. What is ambiguous gets no adapter, and the reason. */
#ifndef INSPECT_DEVICES_H
#define INSPECT_DEVICES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"
#include "inspect/load_log.h"
#include "snapshot/snapshot.h"

/* Values of the process's own environment; bytes NULL: not set. */
struct device_variables {
    bool known; /* false: the environment could not be read, so that any of them may be set */
    struct raw_text cuda_visible_devices; /* indices, UUIDs or their beginnings, MIG-UUIDs */
    struct raw_text cuda_device_order;    /* PCI_BUS_ID; CUDA's own default is fastest first */
    struct raw_text hip_visible_devices, rocr_visible_devices;
    struct raw_text ggml_vk_visible_devices;
    struct raw_text oneapi_device_selector;
};

struct device_scene {
    const struct adapter *adapters; /* of the snapshot, in its order */
    size_t adapter_count;
    const struct load_device *logged; /* "using device" lines; may be empty */
    size_t logged_count;
    struct device_variables variables;
    struct text only_adapter_id; /* that the process uses; none: it uses several, or none */
};

enum device_place {
    DEVICE_HOST,      /* system memory */
    DEVICE_ADAPTER,   /* `adapter` holds it */
    DEVICE_REMOTE,    /* another machine: RPC0[host:port] */
    DEVICE_AMBIGUOUS, /* a device here, but which one is not certain */
};

struct device_found {
    enum device_place place;
    const struct adapter *adapter; /* while place is DEVICE_ADAPTER */
    struct text reason; /* how it was found, or why not; of static storage or the arena */
};

/* `name` is a buffer's or device's name: "CUDA0", "Vulkan1", "CUDA_Host", "RPC0[host:port]",
 * "MTL0_Mapped", "GPU0" (the snapshot's own index). */
struct device_found device_find(struct arena *arena, const struct device_scene *scene,
                                struct raw_text name);

#endif

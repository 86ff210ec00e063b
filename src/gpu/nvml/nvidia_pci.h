/* NVIDIA GPUs as the PCI bus shows them, read without waking one: configuration files of sysfs that
 * the kernel answers from memory (vendor, device, class, power/runtime_status, power/control). */
#ifndef GPU_NVIDIA_PCI_H
#define GPU_NVIDIA_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "gpu/helper/display_devices.h"
#include "os/root.h"
#include "reading/pass.h"

enum { NVIDIA_FUNCTIONS_MAX = 64, NVIDIA_VENDOR = 0x10de };

struct nvidia_function {
    char id[ADAPTER_ID_SIZE]; /* "pci:0000:01:00.0" */
    uint32_t device, subsystem_vendor, subsystem_device, revision;
    bool is_suspended;
    bool may_sleep;  /* power/control is auto and the device supports runtime suspend */
    bool has_driver; /* bound to the nvidia driver */
    bool has_minor;  /* minor: of /dev/nvidiaN, told by the driver's own file of an awake GPU */
    uint32_t minor;
};

/* The minor number in /proc/driver/nvidia/gpus/ADDRESS/information ("Device Minor: \t 0"). Pure. */
bool nvidia_minor_of(struct raw_text information, uint32_t *minor);

struct nvidia_functions {
    struct nvidia_function items[NVIDIA_FUNCTIONS_MAX]; /* by address */
    size_t count;
    int64_t looked_at_ns;           /* running clock of nvidia_functions_refresh(); 0: never */
    struct display_devices devices; /* of Windows */
};

/* NVIDIA's among Windows' display devices. They may sleep where an integrated GPU is beside them: a
 * laptop. Pure. */
void nvidia_functions_of_devices(const struct display_devices *devices,
                                 struct nvidia_functions *functions);

/* Display-class functions of NVIDIA that no other driver holds: one bound to nouveau or vfio is
 * nothing that NVML would wake or show. `root` NULL (no Linux file tree) gives none. */
void nvidia_functions_read(const struct root *root, struct nvidia_functions *functions);
/* The same for less, once a refresh: whether a GPU sleeps is read every time, who is on the bus and
 * which driver holds it every 10 s. Without a file tree the system itself is asked (nvml_door.h).
 */
void nvidia_functions_refresh(const struct root *root, struct nvidia_functions *functions,
                              int64_t running_ns);

#endif

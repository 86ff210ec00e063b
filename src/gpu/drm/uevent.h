/* A device's uevent file: KEY=VALUE lines. Pure. */
#ifndef GPU_DRM_UEVENT_H
#define GPU_DRM_UEVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct uevent {
    struct raw_text driver;     /* DRIVER; bytes NULL when missing, as all of these */
    struct raw_text slot;       /* PCI_SLOT_NAME */
    struct raw_text compatible; /* OF_COMPATIBLE_0 */
    bool has_pci_id, has_subsystem;
    uint32_t vendor, device, subsystem_vendor, subsystem_device;
};

/* The texts point into `text`. */
void uevent_parse(struct raw_text text, struct uevent *uevent);

#endif

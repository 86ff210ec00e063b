/* What a GPU is called, from the first that knows: its own product name, libdrm's amdgpu.ids,
 * pci.ids, the device tree, and at last its ids. Reads files that never wake a card, except the
 * product name. */
#ifndef GPU_DRM_NAMES_H
#define GPU_DRM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "os/root.h"

enum { ADAPTER_NAME_SIZE = 128 };

struct name_question {
    const char *folder;     /* of the device */
    const char *driver;     /* of the kernel: "amdgpu" */
    const char *compatible; /* OF_COMPATIBLE_0 of its uevent, or "" */
    bool has_pci_ids;
    bool may_read_product_name; /* false while it sleeps */
    uint32_t vendor, device, revision;
};

/* Always gives a name. */
void name_find(const struct root *root, const struct name_question *question,
               char out[ADAPTER_NAME_SIZE]);

#endif

/* Numbers in the names that Windows gives PCI devices:
 * "PCI\VEN_1002&DEV_744C&SUBSYS_0E3B1002&REV_C8\...". Pure. */
#ifndef GPU_HELPER_HARDWARE_ID_H
#define GPU_HELPER_HARDWARE_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hardware_id {
    uint32_t vendor, device, subsystem_vendor, subsystem_device, revision;
    bool has_revision;
};

/* False without vendor and device. In any case; `text` ends at a NUL or at `size`. */
bool hardware_id_parse(const char *text, size_t size, struct hardware_id *id);

#endif

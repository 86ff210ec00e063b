/* The PCIe link of the slot a GPU sits in. The link of the GPU function itself is the one on the
 * card (AMD: always the full width, Intel Arc: always 2.5 GT/s x1); the slot's is that of the
 * upstream port of the card's own switch. */
#ifndef GPU_DRM_PCI_LINK_H
#define GPU_DRM_PCI_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/drm/sysfs.h"
#include "reading/adapter.h"

/* "16.0 GT/s PCIe", "8 GT/s" to tenths of GT/s; unknown for "Unknown" and anything else. Pure. */
struct measured pci_link_parse_speed(struct raw_text text);

/* The folder whose link files are the slot's: walks up from the GPU's folder over the bridges of
 * the card's own maker, at most two, never onto the root port. The card must be awake. */
void pci_link_find(const struct root *root, const char *folder, uint32_t gpu_vendor,
                   char out[SYSFS_PATH_SIZE]);

/* Reads the link of that folder. `maximum`: the maximum too (it never changes), into the two max
 * figures. */
void pci_link_read(const struct sysfs_folder *link, bool maximum, struct adapter_reading *out);

/* Sets all four figures to one reason. */
void pci_link_set_unknown(struct adapter_reading *out, enum reason why);

#endif

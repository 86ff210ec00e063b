/* Which device a DRM node belongs to: id, PCI ids, kernel driver. Read from files that never wake
 * it. */
#ifndef GPU_DRM_ADAPTER_IDENTITY_H
#define GPU_DRM_ADAPTER_IDENTITY_H

#include <stdbool.h>

#include "gpu/drm/adapters.h"
#include "os/root.h"

/* A new adapter for a device's folder, with nothing but its identity; memory of the caller
 * (free()). */
struct drm_adapter *drm_adapter_new(const struct root *root, const char *folder);

/* "platform:13800000.display", of a device without PCI address. */
void drm_platform_id(const char *folder, char out[ADAPTER_ID_SIZE]);

/* "0000:03:00.0", with any domain of four to eight digits. Pure. */
bool pci_address_is_valid(const char *text);

#endif

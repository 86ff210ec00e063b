/* What drivers without files of their own have in common: the hwmon sensors of the device, and the
 * clock that devfreq sets. Both are functions of struct drm_driver. */
#ifndef GPU_DRM_SENSORS_H
#define GPU_DRM_SENSORS_H

#include "gpu/drm/adapters.h"
#include "gpu/drm/driver.h"

void drm_sensors_discover(const struct drm_look *look, struct drm_adapter *adapter);
void drm_sensors_read(const struct drm_look *look, struct drm_adapter *adapter,
                      struct adapter_reading *out);
/* One memory with the CPU: there is no VRAM. */
void drm_sensors_read_unified(const struct drm_look *look, struct drm_adapter *adapter,
                              struct adapter_reading *out);

#endif

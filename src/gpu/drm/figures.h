/* The figures of one adapter in one pass: identity, then what its power state allows to read. */
#ifndef GPU_DRM_FIGURES_H
#define GPU_DRM_FIGURES_H

#include "base/text.h"
#include "gpu/drm/adapters.h"
#include "gpu/drm/driver.h"
#include "reading/adapter.h"

/* Reads once what stays true, if the adapter is awake and it has not been done. */
void drm_figures_discover(const struct drm_look *look, struct drm_adapter *adapter);
/* Identity, kind and power state; no file is read. Texts go to the arena. */
void drm_figures_describe(const struct drm_adapter *adapter, struct arena *arena,
                          struct adapter_reading *out);
/* Memory, and the sensors unless the adapter sleeps or is left alone so that it can fall asleep. */
void drm_figures_read(const struct drm_look *look, struct drm_adapter *adapter,
                      struct adapter_reading *out);
/* A line for people: partition modes, cards that are left alone. May be empty. */
struct raw_text drm_figures_detail(const struct drm_look *look,
                                   const struct drm_adapters *adapters);

#endif

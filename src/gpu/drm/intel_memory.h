/* How much VRAM an Intel card has: told by an ioctl on its render node alone, which opens the card.
 * How much of it is used is told to holders of CAP_PERFMON; others get 0, which means unknown.
 *
 * Sources: include/uapi/drm/i915_drm.h (DRM_I915_QUERY_MEMORY_REGIONS), include/uapi/drm/xe_drm.h
 * (DRM_XE_DEVICE_QUERY_MEM_REGIONS). */
#ifndef GPU_DRM_INTEL_MEMORY_H
#define GPU_DRM_INTEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "os/root.h"
#include "reading/measured.h"

enum { INTEL_REGIONS_SIZE_MAX = 8192 };

enum intel_uapi { INTEL_UAPI_I915, INTEL_UAPI_XE };

struct intel_memory {
    struct measured total_bytes, used_bytes; /* of all VRAM regions together */
    bool is_shared; /* the kernel answered, and there is no VRAM: an integrated GPU */
};

/* What the kernel answers, as bytes: pure. Unknown (not_reported) without a VRAM region,
 * call_failed for an answer of another form. */
void intel_memory_parse(enum intel_uapi uapi, struct raw_text answer, struct intel_memory *memory);

/* Asks the node `name` ("renderD128"), which must have that device number, and closes it again.
 * Only for a card that is awake, on a real machine. False with errno: there is no answer. */
bool intel_memory_ask(const struct root *root, enum intel_uapi uapi, const char *name,
                      uint64_t device_number, char answer[INTEL_REGIONS_SIZE_MAX], size_t *length,
                      int *error);

#endif

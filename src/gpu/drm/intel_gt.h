/* The GTs of an Intel GPU: render GTs, one a tile, and from Meteor Lake on a media GT with a clock
 * of its own. Their clocks, why they are throttled, and for how long they slept.
 *
 * Sources: Documentation/gpu/i915.rst, ABI documents sysfs-driver-intel-i915 and -xe-gtidle,
 * -xe-sriov; xe_gt_freq.c, xe_gt_throttle.c. Reading any of it wakes an xe card. */
#ifndef GPU_DRM_INTEL_GT_H
#define GPU_DRM_INTEL_GT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/drm/adapters.h"
#include "gpu/drm/driver.h"

enum { INTEL_GTS_MAX = 8 };

struct intel_gt {
    bool is_media;
    char clock_folder[SYSFS_PATH_SIZE];
    char throttle_folder[SYSFS_PATH_SIZE];
    char idle_folder[SYSFS_PATH_SIZE];
    const char *clock_file, *idle_file; /* static; NULL: there is none */
    bool has_throttle;
    bool has_throttle_text; /* throttle/reasons: the newest form */
    /* Of the last sample. */
    bool idle_known;
    bool idle_moves; /* it has grown before */
    int64_t idle_ms, idle_at_ns;
};

struct intel_gts {
    struct intel_gt items[INTEL_GTS_MAX];
    size_t count;
    const char *throttle_status,
        *throttle_prefix; /* "throttle_reason_status", "throttle_reason_" */
};

/* Which GTs there are, and the highest clocks, into the adapter. Once, awake; a later call keeps
 * the samples of the GTs that are still there. */
void intel_gts_discover_i915(const struct drm_look *look, struct drm_adapter *adapter,
                             struct intel_gts *gts);
void intel_gts_discover_xe(const struct drm_look *look, struct drm_adapter *adapter,
                           struct intel_gts *gts);
/* Clocks (0: the GT sleeps, true) and throttle reasons of all GTs together. */
void intel_gts_read(const struct drm_look *look, const struct intel_gts *gts,
                    struct adapter_reading *out);
/* The share of the time since the last sample in which the busiest render GT was awake: an upper
 * bound of its load, so an estimate. need_two_samples for the first sample and where the counter of
 * sleep stood still (then nothing is bounded). */
struct said intel_gts_awake_millipercent(const struct drm_look *look, struct intel_gts *gts);

#endif

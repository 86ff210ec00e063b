/* amdgpu's pp_dpm_* tables: pure. Lines `N: 500Mhz *`; `*` marks the current level. RDNA3 inserts
 * the live value as a level of its own, MI300 a deep-sleep level `S:`. */
#ifndef GPU_DRM_DPM_H
#define GPU_DRM_DPM_H

#include "base/text.h"
#include "reading/measured.h"

struct dpm {
    struct measured current_mhz; /* unknown when no level, or several different ones, are marked */
    struct measured highest_mhz;
};

void dpm_parse(struct raw_text table, struct dpm *dpm);

#endif

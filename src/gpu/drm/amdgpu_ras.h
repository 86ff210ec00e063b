/* Memory errors of AMD's cards with ECC: ras/umc_err_count (Documentation/gpu/amdgpu/ras.rst),
 * "ue: 0" (uncorrected) and "ce: 1" (corrected) since the driver was loaded. The read asks the
 * hardware: once in 30 s. */
#ifndef GPU_DRM_AMDGPU_RAS_H
#define GPU_DRM_AMDGPU_RAS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/drm/sysfs.h"
#include "reading/adapter.h"

/* A zeroed one has never been read. */
struct amdgpu_ras {
    bool was_read;
    int64_t read_at_ns;
    struct said corrected, uncorrected;
};

/* Pure. A line that is missing is not_reported, one that is no number call_failed. */
void amdgpu_ras_parse(struct raw_text text, struct said *corrected, struct said *uncorrected);
void amdgpu_ras_read(struct amdgpu_ras *ras, const struct sysfs_folder *device, int64_t now_ns,
                     struct adapter_reading *out);

#endif

/* amdgpu's binary gpu_metrics tables. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/drm/amdgpu_throttle.h"
#include "gpu/drm/gpu_metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gpu_metrics metrics;
    struct amdgpu_residencies residencies = {0};
    static struct adapter_reading adapter;
    if (!gpu_metrics_decode((struct raw_text){(const char *)data, size}, &metrics)) {
        return 0;
    }
    amdgpu_throttle_read(&metrics, &residencies, &adapter);
    amdgpu_throttle_read(&metrics, &residencies, &adapter);
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (metrics.values[i].known && metrics.values[i].value < 0) {
            abort();
        }
    }
    if (adapter.throttle_count > THROTTLE_REASONS_MAX) {
        abort();
    }
    return 0;
}

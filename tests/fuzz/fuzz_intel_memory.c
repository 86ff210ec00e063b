/* The kernel's answers to the region queries of i915 and xe. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/drm/intel_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int uapi = INTEL_UAPI_I915; uapi <= INTEL_UAPI_XE; uapi++) {
        struct intel_memory memory;
        intel_memory_parse((enum intel_uapi)uapi, (struct raw_text){(const char *)data, size},
                           &memory);
        if (memory.total_bytes.known && memory.used_bytes.known &&
            (memory.used_bytes.value < 0 || memory.used_bytes.value > memory.total_bytes.value)) {
            abort();
        }
    }
    return 0;
}

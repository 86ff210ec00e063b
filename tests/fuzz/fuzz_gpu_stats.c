/* v3d's table of queues, twice: a rate is a percentage or unknown. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/drm/gpu_stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gpu_stats before, now;
    size_t half = size / 2;
    const char *text = (const char *)data;
    gpu_stats_parse((struct raw_text){text, half}, &before);
    gpu_stats_parse((struct raw_text){text + half, size - half}, &now);
    for (size_t i = 0; i < now.count; i++) {
        struct said load = gpu_stats_load(&before, &now.queues[i]);
        if (load.how != HOW_UNAVAILABLE && (load.value < 0 || load.value > 100000)) {
            abort();
        }
    }
    return 0;
}

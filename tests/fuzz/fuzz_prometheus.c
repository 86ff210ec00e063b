/* Metrics texts: samples have a name and a finite value, labels lie within the text. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "inspect/servers/prometheus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text rest = {(const char *)data, size}, value;
    struct prometheus_sample sample;
    const char *end = (const char *)data + size;
    while (prometheus_next(&rest, &sample)) {
        if (sample.name.length == 0 || !isfinite(sample.value))
            abort();
        if (sample.labels.length > 0 && sample.labels.bytes + sample.labels.length >= end)
            abort();
        if (prometheus_label(&sample, "block_size", &value) &&
            (value.bytes < sample.labels.bytes ||
             value.bytes + value.length >= sample.labels.bytes + sample.labels.length))
            abort();
    }
    return 0;
}

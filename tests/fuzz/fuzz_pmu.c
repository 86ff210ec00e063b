/* The texts of event sources. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/drm/pmu.h"

enum { NAME_SIZE = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text text = {(const char *)data, size};
    struct pmu_field field;
    uint64_t config = 0, value = 0;
    double scale;
    char name[NAME_SIZE] = "", class_name[8];
    if (pmu_parse_field(text, &field)) {
        if (field.first > field.last || field.last > 63) {
            abort();
        }
        pmu_set_field(field, size, &config);
    }
    pmu_parse_term(text, "event", &value);
    pmu_parse_term(text, "config", &value);
    if (pmu_parse_scale(text, &scale) && !(scale > 0)) {
        abort();
    }
    if (pmu_parse_cpu(text) < 0) {
        abort();
    }
    memcpy(name, data, size < sizeof name ? size : sizeof name - 1);
    pmu_parse_busy_event(name, class_name);
    return 0;
}

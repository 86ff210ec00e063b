#include "gpu/drm/intel_memory.h"

#include <string.h>

#include "base/number.h"

/* Both answers begin with the number of regions and have a class first in each region. */
struct layout {
    size_t header, region; /* sizes in bytes */
    size_t total, other;   /* of the region; `other`: used (xe) or unallocated (i915) */
    bool other_is_unallocated;
};

enum { CLASS_DEVICE = 1, REGIONS_MAX = 64 };

static const struct layout layouts[] = {
    [INTEL_UAPI_I915] = {16, 88, 8, 16, true},
    [INTEL_UAPI_XE] = {8, 88, 8, 16, false},
};

static uint64_t take(struct raw_text answer, size_t at, size_t size)
{
    uint64_t value = 0;
    uint32_t word;
    uint16_t half;
    if (size == sizeof half) {
        memcpy(&half, answer.bytes + at, sizeof half);
        return half;
    }
    if (size == sizeof word) {
        memcpy(&word, answer.bytes + at, sizeof word);
        return word;
    }
    memcpy(&value, answer.bytes + at, sizeof value);
    return value;
}

static struct measured add(struct measured sum, uint64_t bytes)
{
    int64_t value;
    if (!sum.known) {
        return sum;
    }
    if (bytes > INT64_MAX || !number_add_i64(sum.value, (int64_t)bytes, &value)) {
        return measured_unknown(REASON_incredible_value);
    }
    return measured_known(value);
}

static uint64_t used_of(const struct layout *layout, uint64_t total, uint64_t other)
{
    if (!layout->other_is_unallocated) {
        return other;
    }
    return other <= total ? total - other : 0; /* all ones: unknown */
}

void intel_memory_parse(enum intel_uapi uapi, struct raw_text answer, struct intel_memory *memory)
{
    const struct layout *layout = &layouts[uapi];
    memory->total_bytes = memory->used_bytes = measured_unknown(REASON_call_failed);
    memory->is_shared = false;
    if (answer.length < layout->header) {
        return;
    }
    uint64_t count = take(answer, 0, sizeof(uint32_t));
    if (count > REGIONS_MAX || answer.length - layout->header < count * layout->region) {
        return;
    }
    struct measured total = measured_known(0), used = measured_known(0);
    for (size_t i = 0; i < count; i++) {
        size_t at = layout->header + i * layout->region;
        if (take(answer, at, sizeof(uint16_t)) == CLASS_DEVICE) {
            uint64_t bytes = take(answer, at + layout->total, sizeof(uint64_t));
            uint64_t other = take(answer, at + layout->other, sizeof(uint64_t));
            total = add(total, bytes);
            used = add(used, used_of(layout, bytes, other));
        }
    }
    bool has_vram = !total.known || total.value > 0;
    memory->is_shared = !has_vram && count > 0;
    memory->total_bytes = has_vram ? total : measured_unknown(REASON_not_reported);
    if (!has_vram) {
        memory->used_bytes = measured_unknown(REASON_not_reported);
    } else if (used.known && used.value == 0) {
        memory->used_bytes = measured_unknown(REASON_not_permitted);
    } else if (used.known && total.known && used.value > total.value) {
        memory->used_bytes = measured_unknown(REASON_larger_than_adapter);
    } else {
        memory->used_bytes = used;
    }
}

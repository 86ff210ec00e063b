/* Tables that name their fields themselves (1.9 and later): after the header the number of
 * attributes, then each as a word of 64 bits (unit 31-24, type 23-20, id 19-10, count 9-0) and its
 * values, without padding. Source: kernel kgd_pp_interface.h (AMDGPU_METRICS_ENC_ATTR) and
 * smu_cmn.h (DECLARE_SMU_METRICS_CLASS). Ids that are not known here are passed over; a table whose
 * attributes do not end where it ends is none. */
#include <string.h>

#include "gpu/drm/gpu_metrics_layouts.h"

enum { ATTRIBUTES_AT = 8, WORD_SIZE = 8, ATTRIBUTES_MAX = 1024 };

enum unit {
    UNIT_NONE,
    UNIT_MEGAHERTZ,
    UNIT_CELSIUS,
    UNIT_WATT,
    UNIT_TENTHS_OF_GT = 7,
    UNIT_PERCENT = 10
};

static const struct {
    uint16_t id;
    uint8_t unit; /* enum unit; another one makes the value unknown */
    uint8_t metric, scale;
} known[] = {
    {0, UNIT_CELSIUS, METRIC_TEMPERATURE_HOTSPOT, CELSIUS},
    {1, UNIT_CELSIUS, METRIC_TEMPERATURE_MEMORY, CELSIUS},
    {3, UNIT_WATT, METRIC_SOCKET_POWER, WATT},
    {4, UNIT_PERCENT, METRIC_GFX_ACTIVITY, PERCENT},
    {5, UNIT_PERCENT, METRIC_MEMORY_ACTIVITY, PERCENT},
    {7, UNIT_NONE, METRIC_ENERGY, ENERGY},
    {10, UNIT_NONE, METRIC_RESIDENCY_PROCHOT, AS_IS},
    {11, UNIT_NONE, METRIC_RESIDENCY_PPT, AS_IS},
    {12, UNIT_NONE, METRIC_RESIDENCY_THM_SOCKET, AS_IS},
    {13, UNIT_NONE, METRIC_RESIDENCY_THM_VR, AS_IS},
    {14, UNIT_NONE, METRIC_RESIDENCY_THM_HBM, AS_IS},
    {16, UNIT_NONE, METRIC_PCIE_WIDTH, LINK_WIDTH},
    {17, UNIT_TENTHS_OF_GT, METRIC_PCIE_GENERATION, LINK_SPEED},
    {33, UNIT_MEGAHERTZ, METRIC_CURRENT_GFX_CLOCK, MEGAHERTZ},
    {34, UNIT_MEGAHERTZ, METRIC_CURRENT_SOC_CLOCK, MEGAHERTZ},
    {35, UNIT_MEGAHERTZ, METRIC_CURRENT_VIDEO_CLOCK, MEGAHERTZ},
    {37, UNIT_MEGAHERTZ, METRIC_CURRENT_MEMORY_CLOCK, MEGAHERTZ},
    {41, UNIT_PERCENT, METRIC_JPEG_ACTIVITY, PERCENT},
    {42, UNIT_PERCENT, METRIC_MEDIA_ACTIVITY, PERCENT},
};

/* Bytes of a value by its type: u8 s8 u16 s16 u32 s32 u64 s64. */
static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};

struct attribute {
    unsigned unit, id;
    size_t bytes, count;
};

static bool take_word(const unsigned char *at, struct attribute *attribute)
{
    uint64_t word = 0;
    for (size_t i = 0; i < WORD_SIZE; i++) {
        word |= (uint64_t)at[i] << (8 * i);
    }
    size_t type = word >> 20 & 0xf;
    if (word >> 32 != 0 || type >= sizeof sizes || (word & 0x3ff) == 0) {
        return false;
    }
    attribute->unit = (unsigned)(word >> 24 & 0xff);
    attribute->id = (unsigned)(word >> 10 & 0x3ff);
    attribute->bytes = sizes[type];
    attribute->count = (size_t)(word & 0x3ff);
    return true;
}

static void take_values(const unsigned char *at, const struct attribute *attribute,
                        struct gpu_metrics *metrics)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].id == attribute->id && known[i].unit == attribute->unit) {
            metrics->values[known[i].metric] = metric_largest(
                at, attribute->bytes, (enum metric_scale)known[i].scale, attribute->count);
        }
    }
}

bool metric_attributes_decode(const unsigned char *blob, size_t size, struct gpu_metrics *metrics)
{
    size_t at = ATTRIBUTES_AT;
    uint32_t count = 0;
    for (size_t i = 0; size >= ATTRIBUTES_AT && i < 4; i++) {
        count |= (uint32_t)blob[4 + i] << (8 * i);
    }
    if (count == 0 || count > ATTRIBUTES_MAX) {
        return false;
    }
    struct gpu_metrics read = *metrics;
    for (uint32_t i = 0; i < count; i++) {
        struct attribute attribute;
        if (size - at < WORD_SIZE || !take_word(blob + at, &attribute)) {
            return false;
        }
        at += WORD_SIZE;
        if ((size - at) / attribute.bytes < attribute.count) {
            return false;
        }
        take_values(blob + at, &attribute, &read);
        at += attribute.bytes * attribute.count;
    }
    if (at != size) {
        return false;
    }
    *metrics = read;
    return true;
}

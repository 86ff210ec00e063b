/* Where the fields of each revision of gpu_metrics lie: tables, private to gpu_metrics*.c. Layouts:
 * kernel drivers/gpu/drm/amd/include/kgd_pp_interface.h. */
#ifndef GPU_DRM_GPU_METRICS_LAYOUTS_H
#define GPU_DRM_GPU_METRICS_LAYOUTS_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/drm/gpu_metrics.h"

enum metric_scale {
    AS_IS,
    CELSIUS,
    CENTICELSIUS,
    PERCENT,
    WATT,
    MILLIWATT,
    MEGAHERTZ,
    ENERGY, /* units of 15.259 microjoules; 0 on cards that do not count */
    LINK_SPEED,
    LINK_WIDTH,
};

struct metric_field {
    uint8_t metric; /* enum gpu_metric */
    uint8_t bytes;  /* 2, 4 or 8 */
    uint16_t offset;
    uint8_t scale; /* enum metric_scale */
    uint8_t count; /* 0 and 1: a single value; more: the largest of so many */
};

struct metric_layout {
    uint8_t format, content;
    uint16_t size;
    uint16_t core_offset; /* temperatures of CPU cores, hundredths of a degree */
    uint8_t core_count;
    const struct metric_field *fields;
    size_t field_count;
    /* Numbers of each partition (XCP) of an accelerator; 0 where there are none. */
    uint16_t partition_offset, partition_size, partition_video, partition_jpeg;
    uint8_t partition_jpeg_count;
};

enum { METRIC_PARTITIONS = 8, METRIC_PARTITION_VIDEO_COUNT = 4 };

/* NULL: no such revision of exactly this size. */
const struct metric_layout *metric_layout_find(unsigned format, unsigned content, size_t size);

/* One raw value of `bytes` bytes in its metric's unit; all ones are not reported. */
struct measured metric_value(const unsigned char *at, size_t bytes, enum metric_scale scale);
/* The largest of `count` values in a row. */
struct measured metric_largest(const unsigned char *at, size_t bytes, enum metric_scale scale,
                               size_t count);
/* Tables from 1.9 on name their fields themselves. False when the bytes are none. */
bool metric_attributes_decode(const unsigned char *blob, size_t size, struct gpu_metrics *metrics);

#endif

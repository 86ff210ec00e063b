/* amdgpu's gpu_metrics table: pure decoder of a blob read in one read(). Layouts: kernel
 * drivers/gpu/drm/amd/include/kgd_pp_interface.h (gpu_metrics_layouts.h; from 1.9 on the table
 * describes itself). A revision whose exact size is not known here is not decoded at all. All-ones
 * of a field's own width means not reported; what cannot be true is incredible_value.
 *
 * Everything in the table is firmware's word: show it as reported. */
#ifndef GPU_DRM_GPU_METRICS_H
#define GPU_DRM_GPU_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/measured.h"

/* The values, in one unit each whatever the revision uses: temperatures in millidegrees Celsius,
 * activity in millipercent, power in microwatts, energy in microjoules, clocks in Hz, voltages in
 * millivolts, residencies in the firmware's own counts. */
enum gpu_metric {
    METRIC_TEMPERATURE_EDGE, /* of APUs: gfx */
    METRIC_TEMPERATURE_HOTSPOT,
    METRIC_TEMPERATURE_MEMORY,
    METRIC_TEMPERATURE_SOC,
    METRIC_TEMPERATURE_SKIN,
    METRIC_GFX_ACTIVITY,
    METRIC_GFX_ACTIVITY_RAW, /* v2: percent or hundredths, depending on the firmware */
    METRIC_MEMORY_ACTIVITY,
    METRIC_MEDIA_ACTIVITY,     /* the busiest video engine */
    METRIC_MEDIA_ACTIVITY_RAW, /* v2 */
    METRIC_JPEG_ACTIVITY,
    METRIC_SOCKET_POWER,
    METRIC_CPU_POWER,
    METRIC_SOC_POWER,
    METRIC_GFX_POWER,
    METRIC_APU_POWER,
    METRIC_DGPU_POWER,
    METRIC_CORES_POWER,
    METRIC_SYSTEM_POWER,
    METRIC_IPU_POWER,
    METRIC_STAPM_POWER_LIMIT,
    METRIC_ENERGY,
    METRIC_AVERAGE_GFX_CLOCK,
    METRIC_AVERAGE_SOC_CLOCK,
    METRIC_AVERAGE_MEMORY_CLOCK,
    METRIC_AVERAGE_VIDEO_CLOCK,
    METRIC_CURRENT_GFX_CLOCK,
    METRIC_CURRENT_SOC_CLOCK,
    METRIC_CURRENT_MEMORY_CLOCK,
    METRIC_CURRENT_VIDEO_CLOCK,
    METRIC_FAN_RPM,
    METRIC_FAN_PWM, /* 0-255 */
    METRIC_PCIE_WIDTH,
    METRIC_PCIE_GENERATION,
    METRIC_VOLTAGE_SOC,
    METRIC_VOLTAGE_GFX,
    METRIC_VOLTAGE_MEMORY,
    METRIC_THROTTLE_STATUS,      /* bits of the ASIC's own: only zero or not says something */
    METRIC_INDEPENDENT_THROTTLE, /* gpu_metrics_throttle_name() */
    METRIC_RESIDENCY_PROCHOT,    /* counters that grow while throttled */
    METRIC_RESIDENCY_SPL,
    METRIC_RESIDENCY_FPPT,
    METRIC_RESIDENCY_SPPT,
    METRIC_RESIDENCY_THM_CORE,
    METRIC_RESIDENCY_THM_GFX,
    METRIC_RESIDENCY_THM_SOC,
    METRIC_RESIDENCY_PPT,
    METRIC_RESIDENCY_THM_SOCKET,
    METRIC_RESIDENCY_THM_VR,
    METRIC_RESIDENCY_THM_HBM,
    METRIC_FILTER_TIME, /* microseconds */
    METRIC_COUNT
};

enum { GPU_METRICS_CORES_MAX = 16, GPU_METRICS_SIZE_MAX = 4096 };

struct gpu_metrics {
    uint16_t structure_size;
    uint8_t format_revision, content_revision;
    struct measured values[METRIC_COUNT];
    struct measured core_temperature_millicelsius[GPU_METRICS_CORES_MAX];
    size_t core_count;
};

/* False when the blob is no table, is cut, or has a layout that is not known; the header is filled
 * when there was one. */
bool gpu_metrics_decode(struct raw_text blob, struct gpu_metrics *metrics);

/* The name of a bit of METRIC_INDEPENDENT_THROTTLE (kernel amdgpu_smu.h), or NULL. Static, lower
 * case. */
const char *gpu_metrics_throttle_name(unsigned bit);
/* The name of a residency counter, METRIC_RESIDENCY_*. */
const char *gpu_metrics_residency_name(enum gpu_metric metric);

/* PCIe generation of a speed in tenths of GT/s (160 is generation 4); 0 when it is none. */
int pcie_generation(int64_t tenths_of_gigatransfers);
/* True for the widths a PCIe link can have. */
bool pcie_width_is_credible(int64_t width);

#endif

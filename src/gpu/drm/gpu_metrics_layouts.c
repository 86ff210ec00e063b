#include "gpu/drm/gpu_metrics_layouts.h"

#define V1_1_FIELDS                                                                                \
    {METRIC_TEMPERATURE_EDGE, 2, 4, CELSIUS, 0}, {METRIC_TEMPERATURE_HOTSPOT, 2, 6, CELSIUS, 0},   \
        {METRIC_TEMPERATURE_MEMORY, 2, 8, CELSIUS, 0}, {METRIC_GFX_ACTIVITY, 2, 16, PERCENT, 0},   \
        {METRIC_MEMORY_ACTIVITY, 2, 18, PERCENT, 0}, {METRIC_MEDIA_ACTIVITY, 2, 20, PERCENT, 0},   \
        {METRIC_SOCKET_POWER, 2, 22, WATT, 0}, {METRIC_ENERGY, 8, 24, ENERGY, 0},                  \
        {METRIC_AVERAGE_GFX_CLOCK, 2, 40, MEGAHERTZ, 0},                                           \
        {METRIC_AVERAGE_SOC_CLOCK, 2, 42, MEGAHERTZ, 0},                                           \
        {METRIC_AVERAGE_MEMORY_CLOCK, 2, 44, MEGAHERTZ, 0},                                        \
        {METRIC_AVERAGE_VIDEO_CLOCK, 2, 46, MEGAHERTZ, 0},                                         \
        {METRIC_CURRENT_GFX_CLOCK, 2, 54, MEGAHERTZ, 0},                                           \
        {METRIC_CURRENT_SOC_CLOCK, 2, 56, MEGAHERTZ, 0},                                           \
        {METRIC_CURRENT_MEMORY_CLOCK, 2, 58, MEGAHERTZ, 0},                                        \
        {METRIC_CURRENT_VIDEO_CLOCK, 2, 60, MEGAHERTZ, 0},                                         \
        {METRIC_THROTTLE_STATUS, 4, 68, AS_IS, 0}, {METRIC_FAN_RPM, 2, 72, AS_IS, 0},              \
        {METRIC_PCIE_WIDTH, 2, 74, LINK_WIDTH, 0},                                                 \
    {                                                                                              \
        METRIC_PCIE_GENERATION, 2, 76, LINK_SPEED, 0                                               \
    }

static const struct metric_field v1_1_fields[] = {V1_1_FIELDS};

static const struct metric_field v1_3_fields[] = {
    V1_1_FIELDS,
    {METRIC_VOLTAGE_SOC, 2, 104, AS_IS, 0},
    {METRIC_VOLTAGE_GFX, 2, 106, AS_IS, 0},
    {METRIC_VOLTAGE_MEMORY, 2, 108, AS_IS, 0},
    {METRIC_INDEPENDENT_THROTTLE, 8, 112, AS_IS, 0},
};

/* What the tables of accelerators (1.4 to 1.8) share: their beginning, and groups of fields that
 * stay together wherever they lie. */
#define ACCELERATOR(energy, link, clocks)                                                          \
    {METRIC_TEMPERATURE_HOTSPOT, 2, 4, CELSIUS, 0}, {METRIC_TEMPERATURE_MEMORY, 2, 6, CELSIUS, 0}, \
        {METRIC_SOCKET_POWER, 2, 10, WATT, 0}, {METRIC_GFX_ACTIVITY, 2, 12, PERCENT, 0},           \
        {METRIC_MEMORY_ACTIVITY, 2, 14, PERCENT, 0}, {METRIC_ENERGY, 8, energy, ENERGY, 0},        \
        {METRIC_PCIE_WIDTH, 2, link, LINK_WIDTH, 0},                                               \
        {METRIC_PCIE_GENERATION, 2, (link) + 2, LINK_SPEED, 0},                                    \
        {METRIC_CURRENT_GFX_CLOCK, 2, clocks, MEGAHERTZ, 8},                                       \
        {METRIC_CURRENT_SOC_CLOCK, 2, (clocks) + 16, MEGAHERTZ, 4},                                \
        {METRIC_CURRENT_VIDEO_CLOCK, 2, (clocks) + 24, MEGAHERTZ, 4},                              \
    {                                                                                              \
        METRIC_CURRENT_MEMORY_CLOCK, 2, (clocks) + 40, MEGAHERTZ, 0                                \
    }
#define RESIDENCIES(at)                                                                            \
    {METRIC_RESIDENCY_PROCHOT, 4, at, AS_IS, 0}, {METRIC_RESIDENCY_PPT, 4, (at) + 4, AS_IS, 0},    \
        {METRIC_RESIDENCY_THM_SOCKET, 4, (at) + 8, AS_IS, 0},                                      \
        {METRIC_RESIDENCY_THM_VR, 4, (at) + 12, AS_IS, 0},                                         \
    {                                                                                              \
        METRIC_RESIDENCY_THM_HBM, 4, (at) + 16, AS_IS, 0                                           \
    }
#define VIDEO                                                                                      \
    {                                                                                              \
        METRIC_MEDIA_ACTIVITY, 2, 16, PERCENT, 4                                                   \
    }
#define JPEG                                                                                       \
    {                                                                                              \
        METRIC_JPEG_ACTIVITY, 2, 24, PERCENT, 32                                                   \
    }

static const struct metric_field v1_4_fields[] = {
    ACCELERATOR(24, 48, 240), VIDEO, {METRIC_THROTTLE_STATUS, 4, 40, AS_IS, 0}};
static const struct metric_field v1_5_fields[] = {
    ACCELERATOR(88, 112, 312), VIDEO, JPEG, {METRIC_THROTTLE_STATUS, 4, 104, AS_IS, 0}};
/* 1.6 as it was before it got the numbers of partitions. */
static const struct metric_field v1_6_early_fields[] = {ACCELERATOR(88, 136, 336),
                                                        RESIDENCIES(108),
                                                        VIDEO,
                                                        JPEG,
                                                        {METRIC_THROTTLE_STATUS, 4, 128, AS_IS, 0}};
static const struct metric_field v1_6_fields[] = {ACCELERATOR(16, 60, 264), RESIDENCIES(36)};
/* 1.8 differs in the numbers of partitions alone. */
static const struct metric_field v1_7_fields[] = {ACCELERATOR(24, 68, 296), RESIDENCIES(44)};

static const struct metric_field v2_0_fields[] = {
    {METRIC_TEMPERATURE_EDGE, 2, 16, CENTICELSIUS, 0},
    {METRIC_TEMPERATURE_SOC, 2, 18, CENTICELSIUS, 0},
    {METRIC_GFX_ACTIVITY_RAW, 2, 40, AS_IS, 0},
    {METRIC_MEDIA_ACTIVITY_RAW, 2, 42, AS_IS, 0},
    {METRIC_SOCKET_POWER, 2, 44, MILLIWATT, 0},
    {METRIC_CPU_POWER, 2, 46, MILLIWATT, 0},
    {METRIC_SOC_POWER, 2, 48, MILLIWATT, 0},
    {METRIC_GFX_POWER, 2, 50, MILLIWATT, 0},
    {METRIC_AVERAGE_GFX_CLOCK, 2, 68, MEGAHERTZ, 0},
    {METRIC_AVERAGE_SOC_CLOCK, 2, 70, MEGAHERTZ, 0},
    {METRIC_AVERAGE_MEMORY_CLOCK, 2, 72, MEGAHERTZ, 0},
    {METRIC_AVERAGE_VIDEO_CLOCK, 2, 76, MEGAHERTZ, 0},
    {METRIC_CURRENT_GFX_CLOCK, 2, 80, MEGAHERTZ, 0},
    {METRIC_CURRENT_SOC_CLOCK, 2, 82, MEGAHERTZ, 0},
    {METRIC_CURRENT_MEMORY_CLOCK, 2, 84, MEGAHERTZ, 0},
    {METRIC_CURRENT_VIDEO_CLOCK, 2, 88, MEGAHERTZ, 0},
    {METRIC_THROTTLE_STATUS, 4, 112, AS_IS, 0},
    {METRIC_FAN_PWM, 2, 116, AS_IS, 0},
};

#define V2_1_FIELDS                                                                                \
    {METRIC_TEMPERATURE_EDGE, 2, 4, CENTICELSIUS, 0},                                              \
        {METRIC_TEMPERATURE_SOC, 2, 6, CENTICELSIUS, 0},                                           \
        {METRIC_GFX_ACTIVITY_RAW, 2, 28, AS_IS, 0}, {METRIC_MEDIA_ACTIVITY_RAW, 2, 30, AS_IS, 0},  \
        {METRIC_SOCKET_POWER, 2, 40, MILLIWATT, 0}, {METRIC_CPU_POWER, 2, 42, MILLIWATT, 0},       \
        {METRIC_SOC_POWER, 2, 44, MILLIWATT, 0}, {METRIC_GFX_POWER, 2, 46, MILLIWATT, 0},          \
        {METRIC_AVERAGE_GFX_CLOCK, 2, 64, MEGAHERTZ, 0},                                           \
        {METRIC_AVERAGE_SOC_CLOCK, 2, 66, MEGAHERTZ, 0},                                           \
        {METRIC_AVERAGE_MEMORY_CLOCK, 2, 68, MEGAHERTZ, 0},                                        \
        {METRIC_AVERAGE_VIDEO_CLOCK, 2, 72, MEGAHERTZ, 0},                                         \
        {METRIC_CURRENT_GFX_CLOCK, 2, 76, MEGAHERTZ, 0},                                           \
        {METRIC_CURRENT_SOC_CLOCK, 2, 78, MEGAHERTZ, 0},                                           \
        {METRIC_CURRENT_MEMORY_CLOCK, 2, 80, MEGAHERTZ, 0},                                        \
        {METRIC_CURRENT_VIDEO_CLOCK, 2, 84, MEGAHERTZ, 0},                                         \
        {METRIC_THROTTLE_STATUS, 4, 108, AS_IS, 0},                                                \
    {                                                                                              \
        METRIC_FAN_PWM, 2, 112, AS_IS, 0                                                           \
    }

static const struct metric_field v2_1_fields[] = {V2_1_FIELDS};
static const struct metric_field v2_2_fields[] = {V2_1_FIELDS,
                                                  {METRIC_INDEPENDENT_THROTTLE, 8, 120, AS_IS, 0}};

static const struct metric_field v3_0_fields[] = {
    {METRIC_TEMPERATURE_EDGE, 2, 4, CENTICELSIUS, 0},
    {METRIC_TEMPERATURE_SOC, 2, 6, CENTICELSIUS, 0},
    {METRIC_TEMPERATURE_SKIN, 2, 40, CENTICELSIUS, 0},
    {METRIC_GFX_ACTIVITY, 2, 42, PERCENT, 0},
    {METRIC_MEDIA_ACTIVITY, 2, 44, PERCENT, 0},
    {METRIC_SOCKET_POWER, 4, 112, MILLIWATT, 0},
    {METRIC_IPU_POWER, 2, 116, MILLIWATT, 0},
    {METRIC_APU_POWER, 4, 120, MILLIWATT, 0},
    {METRIC_GFX_POWER, 4, 124, MILLIWATT, 0},
    {METRIC_DGPU_POWER, 4, 128, MILLIWATT, 0},
    {METRIC_CORES_POWER, 4, 132, MILLIWATT, 0},
    {METRIC_SYSTEM_POWER, 2, 168, MILLIWATT, 0},
    {METRIC_STAPM_POWER_LIMIT, 2, 170, MILLIWATT, 0},
    {METRIC_AVERAGE_GFX_CLOCK, 2, 174, MEGAHERTZ, 0},
    {METRIC_AVERAGE_SOC_CLOCK, 2, 176, MEGAHERTZ, 0},
    {METRIC_AVERAGE_VIDEO_CLOCK, 2, 184, MEGAHERTZ, 0},
    {METRIC_AVERAGE_MEMORY_CLOCK, 2, 186, MEGAHERTZ, 0},
    {METRIC_RESIDENCY_PROCHOT, 4, 228, AS_IS, 0},
    {METRIC_RESIDENCY_SPL, 4, 232, AS_IS, 0},
    {METRIC_RESIDENCY_FPPT, 4, 236, AS_IS, 0},
    {METRIC_RESIDENCY_SPPT, 4, 240, AS_IS, 0},
    {METRIC_RESIDENCY_THM_CORE, 4, 244, AS_IS, 0},
    {METRIC_RESIDENCY_THM_GFX, 4, 248, AS_IS, 0},
    {METRIC_RESIDENCY_THM_SOC, 4, 252, AS_IS, 0},
    {METRIC_FILTER_TIME, 4, 256, AS_IS, 0},
};

#define FIELDS(array) (array), sizeof(array) / sizeof((array)[0])

/* v1.0 (80 bytes) has the old order of fields and is left out on purpose. */
static const struct metric_layout layouts[] = {
    {1, 1, 96, 0, 0, FIELDS(v1_1_fields), 0, 0, 0, 0, 0},
    {1, 2, 104, 0, 0, FIELDS(v1_1_fields), 0, 0, 0, 0, 0},
    {1, 3, 120, 0, 0, FIELDS(v1_3_fields), 0, 0, 0, 0, 0},
    {1, 4, 288, 0, 0, FIELDS(v1_4_fields), 0, 0, 0, 0, 0},
    {1, 5, 360, 0, 0, FIELDS(v1_5_fields), 0, 0, 0, 0, 0},
    {1, 6, 384, 0, 0, FIELDS(v1_6_early_fields), 0, 0, 0, 0, 0},
    {1, 6, 1664, 0, 0, FIELDS(v1_6_fields), 312, 168, 96, 32, 32},
    {1, 7, 2208, 0, 0, FIELDS(v1_7_fields), 344, 232, 96, 32, 32},
    {1, 8, 3872, 0, 0, FIELDS(v1_7_fields), 344, 440, 112, 32, 40},
    {2, 0, 120, 20, 8, FIELDS(v2_0_fields), 0, 0, 0, 0, 0},
    {2, 1, 120, 8, 8, FIELDS(v2_1_fields), 0, 0, 0, 0, 0},
    {2, 2, 128, 8, 8, FIELDS(v2_2_fields), 0, 0, 0, 0, 0},
    {2, 3, 152, 8, 8, FIELDS(v2_2_fields), 0, 0, 0, 0, 0},
    {2, 4, 168, 8, 8, FIELDS(v2_2_fields), 0, 0, 0, 0, 0},
    {3, 0, 264, 8, 16, FIELDS(v3_0_fields), 0, 0, 0, 0, 0},
};

const struct metric_layout *metric_layout_find(unsigned format, unsigned content, size_t size)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const struct metric_layout *layout = &layouts[i];
        if (layout->format == format && layout->content == content && layout->size == size) {
            return layout;
        }
    }
    return NULL;
}

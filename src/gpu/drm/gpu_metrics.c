#include "gpu/drm/gpu_metrics.h"

#include "base/number.h"
#include "gpu/drm/gpu_metrics_layouts.h"

enum { HEADER_SIZE = 4, FIRST_WITH_ATTRIBUTES = 9 };

static uint64_t little_endian(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static bool is_all_ones(uint64_t raw, size_t bytes)
{
    return bytes == 8 ? raw == UINT64_MAX : raw == (UINT64_C(1) << (8 * bytes)) - 1;
}

int pcie_generation(int64_t tenths_of_gigatransfers)
{
    static const int speeds[] = {25, 50, 80, 160, 320, 640};
    for (int i = 0; i < (int)(sizeof speeds / sizeof speeds[0]); i++) {
        if (tenths_of_gigatransfers == speeds[i]) {
            return i + 1;
        }
    }
    return 0;
}

bool pcie_width_is_credible(int64_t width)
{
    return width == 12 || (width > 0 && width <= 32 && (width & (width - 1)) == 0);
}

static struct measured bounded(int64_t value, int64_t low, int64_t high, int64_t factor)
{
    if (value < low || value > high) {
        return measured_unknown(REASON_incredible_value);
    }
    return measured_known(value * factor);
}

static struct measured scaled(uint64_t raw, enum metric_scale scale)
{
    if (raw > INT64_MAX) {
        return measured_unknown(REASON_incredible_value);
    }
    int64_t value = (int64_t)raw;
    int64_t product;
    switch (scale) {
    case CELSIUS:
        return bounded(value, 0, 150, 1000);
    case CENTICELSIUS:
        return bounded(value, 0, 15000, 10);
    case PERCENT:
        return bounded(value, 0, 100, 1000);
    case WATT:
        return bounded(value, 0, 4000, 1000000);
    case MILLIWATT:
        return bounded(value, 0, 4000000, 1000);
    case MEGAHERTZ:
        return bounded(value, 0, 10000, 1000000);
    case ENERGY:
        if (value == 0) {
            return measured_unknown(REASON_not_reported);
        }
        return number_multiply_i64(value, 15259, &product)
                   ? measured_known(product / 1000)
                   : measured_unknown(REASON_incredible_value);
    case LINK_SPEED:
        return pcie_generation(value) > 0 ? measured_known(pcie_generation(value))
                                          : measured_unknown(REASON_not_reported);
    case LINK_WIDTH:
        return pcie_width_is_credible(value) ? measured_known(value)
                                             : measured_unknown(REASON_not_reported);
    case AS_IS:
        break;
    }
    return measured_known(value);
}

struct measured metric_value(const unsigned char *at, size_t bytes, enum metric_scale scale)
{
    uint64_t raw = little_endian(at, bytes);
    return is_all_ones(raw, bytes) ? measured_unknown(REASON_not_reported) : scaled(raw, scale);
}

struct measured metric_largest(const unsigned char *at, size_t bytes, enum metric_scale scale,
                               size_t count)
{
    struct measured best = metric_value(at, bytes, scale);
    for (size_t i = 1; i < count; i++) {
        struct measured next = metric_value(at + i * bytes, bytes, scale);
        if (next.known && (!best.known || next.value > best.value)) {
            best = next;
        }
    }
    return best;
}

static void keep_larger(struct measured *kept, struct measured other)
{
    if (other.known && (!kept->known || other.value > kept->value)) {
        *kept = other;
    }
}

/* The busiest engine of all partitions; those that are not there read all ones. */
static void read_partitions(const unsigned char *blob, const struct metric_layout *layout,
                            struct gpu_metrics *metrics)
{
    for (size_t i = 0; layout->partition_size > 0 && i < METRIC_PARTITIONS; i++) {
        const unsigned char *at = blob + layout->partition_offset + i * layout->partition_size;
        keep_larger(
            &metrics->values[METRIC_MEDIA_ACTIVITY],
            metric_largest(at + layout->partition_video, 2, PERCENT, METRIC_PARTITION_VIDEO_COUNT));
        keep_larger(
            &metrics->values[METRIC_JPEG_ACTIVITY],
            metric_largest(at + layout->partition_jpeg, 2, PERCENT, layout->partition_jpeg_count));
    }
}

/* A negative 16-bit number of some firmwares looks like 63 W on an idle machine. */
static void doubt_system_power(struct gpu_metrics *metrics)
{
    struct measured *system = &metrics->values[METRIC_SYSTEM_POWER];
    struct measured socket = metrics->values[METRIC_SOCKET_POWER];
    if (system->known && socket.known && system->value / 4 > socket.value) {
        *system = measured_unknown(REASON_incredible_value);
    }
}

bool gpu_metrics_decode(struct raw_text blob, struct gpu_metrics *metrics)
{
    *metrics = (struct gpu_metrics){0};
    if (blob.bytes == NULL || blob.length < HEADER_SIZE) {
        return false;
    }
    const unsigned char *bytes = (const unsigned char *)blob.bytes;
    metrics->structure_size = (uint16_t)little_endian(bytes, 2);
    metrics->format_revision = bytes[2];
    metrics->content_revision = bytes[3];
    if (metrics->structure_size > blob.length) {
        return false;
    }
    if (metrics->format_revision == 1 && metrics->content_revision >= FIRST_WITH_ATTRIBUTES) {
        return metric_attributes_decode(bytes, metrics->structure_size, metrics);
    }
    const struct metric_layout *layout = metric_layout_find(
        metrics->format_revision, metrics->content_revision, metrics->structure_size);
    if (layout == NULL) {
        return false;
    }
    for (size_t k = 0; k < layout->field_count; k++) {
        const struct metric_field *field = &layout->fields[k];
        metrics->values[field->metric] = metric_largest(
            bytes + field->offset, field->bytes, (enum metric_scale)field->scale, field->count);
    }
    read_partitions(bytes, layout, metrics);
    for (size_t k = 0; k < layout->core_count; k++) {
        metrics->core_temperature_millicelsius[k] =
            metric_value(bytes + layout->core_offset + 2 * k, 2, CENTICELSIUS);
    }
    metrics->core_count = layout->core_count;
    doubt_system_power(metrics);
    return true;
}

const char *gpu_metrics_throttle_name(unsigned bit)
{
    static const char *const names[64] = {
        [0] = "power_ppt0",
        [1] = "power_ppt1",
        [2] = "power_ppt2",
        [3] = "power_ppt3",
        [4] = "power_spl",
        [5] = "power_fppt",
        [6] = "power_sppt",
        [7] = "power_sppt_apu",
        [16] = "current_tdc_gfx",
        [17] = "current_tdc_soc",
        [18] = "current_tdc_mem",
        [19] = "current_tdc_vdd",
        [20] = "current_tdc_cvip",
        [21] = "current_edc_cpu",
        [22] = "current_edc_gfx",
        [23] = "current_apcc",
        [32] = "thermal_gpu",
        [33] = "thermal_core",
        [34] = "thermal_mem",
        [35] = "thermal_edge",
        [36] = "thermal_hotspot",
        [37] = "thermal_soc",
        [38] = "thermal_vr_gfx",
        [39] = "thermal_vr_soc",
        [40] = "thermal_vr_mem0",
        [41] = "thermal_vr_mem1",
        [42] = "thermal_liquid0",
        [43] = "thermal_liquid1",
        [44] = "thermal_vrhot0",
        [45] = "thermal_vrhot1",
        [46] = "prochot_cpu",
        [47] = "prochot_gfx",
        [56] = "ppm",
        [57] = "fit",
    };
    return bit < 64 ? names[bit] : NULL;
}

const char *gpu_metrics_residency_name(enum gpu_metric metric)
{
    switch (metric) {
    case METRIC_RESIDENCY_PROCHOT:
        return "prochot";
    case METRIC_RESIDENCY_SPL:
        return "power_spl";
    case METRIC_RESIDENCY_FPPT:
        return "power_fppt";
    case METRIC_RESIDENCY_SPPT:
        return "power_sppt";
    case METRIC_RESIDENCY_THM_CORE:
        return "thermal_core";
    case METRIC_RESIDENCY_THM_GFX:
        return "thermal_gfx";
    case METRIC_RESIDENCY_THM_SOC:
        return "thermal_soc";
    case METRIC_RESIDENCY_PPT:
        return "power_ppt";
    case METRIC_RESIDENCY_THM_SOCKET:
        return "thermal_socket";
    case METRIC_RESIDENCY_THM_VR:
        return "thermal_vr";
    case METRIC_RESIDENCY_THM_HBM:
        return "thermal_hbm";
    default:
        return NULL;
    }
}

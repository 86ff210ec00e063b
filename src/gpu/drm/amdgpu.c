/* The amdgpu driver: Documentation/gpu/amdgpu/ of the kernel, amdgpu_pm.c, amdgpu_fdinfo.c. */
#include <stdio.h>
#include <string.h>

#include "gpu/drm/adapters.h"
#include "gpu/drm/amdgpu_kind.h"
#include "gpu/drm/amdgpu_ras.h"
#include "gpu/drm/amdgpu_throttle.h"
#include "gpu/drm/dpm.h"
#include "gpu/drm/driver.h"
#include "gpu/drm/gpu_metrics.h"
#include "gpu/drm/pci_link.h"

enum { DEVICE_FILES_MAX = 4096, VIDEO_HARDWARE_ID = 12, VIDEO_UNIFIED_VERSION = 4, DIES_MAX = 64 };

struct amdgpu_state {
    bool has_memory_activity, has_video_activity, has_metrics;
    bool has_graphics_levels, has_memory_levels;
    bool has_error_counts;
    struct amdgpu_residencies residencies;
    struct amdgpu_ras ras;
};

static const struct drm_region_rule regions[] = {
    {"vram", DRM_POOL_VRAM},
    {"gtt", DRM_POOL_SHARED},
    {NULL, DRM_POOL_OTHER},
};

static const struct drm_engine_rule engines[] = {
    {"gfx", ENGINE_gfx},     {"compute", ENGINE_compute}, {"dma", ENGINE_copy},
    {"dec", ENGINE_decode},  {"enc", ENGINE_encode},      {"jpeg", ENGINE_jpeg},
    {"vpe", ENGINE_enhance}, {NULL, ENGINE_other},
};

static struct sysfs_folder device_of(const struct drm_look *look, const struct drm_adapter *adapter)
{
    return (struct sysfs_folder){look->root, adapter->folder, true, look->files};
}

/* For what is read once: not kept open. */
static struct sysfs_folder device_once(const struct drm_look *look,
                                       const struct drm_adapter *adapter)
{
    return (struct sysfs_folder){look->root, adapter->folder, true, NULL};
}

static bool has_name(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* VCN 4 and later run decode and encode on one ring. The version is in
 * ip_discovery/die/D/12/N/major. */
static bool find_unified_video(const struct drm_look *look, const struct drm_adapter *adapter)
{
    struct sysfs_folder device = device_once(look, adapter);
    for (int die = 0; die < DIES_MAX; die++) {
        char file[64];
        snprintf(file, sizeof file, "ip_discovery/die/%d/%d/0/major", die, VIDEO_HARDWARE_ID);
        struct measured major = sysfs_number(&device, file);
        if (major.known) {
            return major.value >= VIDEO_UNIFIED_VERSION;
        }
        char path[SYSFS_PATH_SIZE];
        snprintf(file, sizeof file, "ip_discovery/die/%d", die + 1);
        if (!sysfs_path(path, adapter->folder, file) || !root_exists(look->root, path)) {
            break;
        }
    }
    return amdgpu_device_has_unified_video(adapter->pci_device);
}

static struct said highest_level(const struct sysfs_folder *device, const char *file)
{
    char buffer[SYSFS_TEXT_SIZE];
    enum reason why = REASON_not_reported;
    struct raw_text table = sysfs_text(device, file, buffer, sizeof buffer, &why);
    if (table.bytes == NULL) {
        return said_unknown(why);
    }
    struct dpm dpm;
    dpm_parse(table, &dpm);
    return sysfs_frequency(dpm.highest_mhz, 1000000);
}

static void set_kind(struct drm_adapter *adapter, const struct amdgpu_signs *signs)
{
    adapter->kind = amdgpu_kind(signs);
    adapter->kind_is_inferred = true;
    adapter->unified = adapter->kind == ADAPTER_INTEGRATED;
}

/* MI300: how the package is cut, "CPX, NPS1". */
static void discover_partitions(const struct sysfs_folder *device, struct drm_adapter *adapter)
{
    char compute_text[16], memory_text[16];
    struct raw_text compute =
        sysfs_text(device, "current_compute_partition", compute_text, sizeof compute_text, NULL);
    struct raw_text memory =
        sysfs_text(device, "current_memory_partition", memory_text, sizeof memory_text, NULL);
    if (compute.length > 0 && memory.length > 0) {
        snprintf(adapter->partition_modes, sizeof adapter->partition_modes, "%.*s, %.*s",
                 (int)compute.length, compute.bytes, (int)memory.length, memory.bytes);
    }
}

static bool is_accelerator(const struct drm_look *look, const struct drm_adapter *adapter)
{
    char path[SYSFS_PATH_SIZE];
    uint64_t class = 0;
    return sysfs_path(path, adapter->folder, "class") &&
           root_read_hex(look->root, path, &class, NULL) == ROOT_OK &&
           class >> 16 == PCI_CLASS_ACCELERATOR;
}

static void discover_kind(const struct drm_look *look, struct drm_adapter *adapter,
                          bool has_vram_files, bool has_memory_activity)
{
    struct sysfs_folder device = device_once(look, adapter);
    char buffer[64];
    struct amdgpu_signs signs = {
        .vram_vendor = sysfs_text(&device, "mem_info_vram_vendor", buffer, sizeof buffer, NULL),
        .has_vram_files = has_vram_files,
        .has_memory_activity = has_memory_activity,
        .sensors_known = true,
        .lacks_sensors = adapter->hwmon.folder[0] == '\0',
        .has_northbridge_voltage = adapter->hwmon.has_northbridge_voltage,
        .has_power_limit = adapter->hwmon.power_limit != 0,
        .has_fan = adapter->hwmon.fan_count > 0,
        .is_accelerator = is_accelerator(look, adapter),
        .is_mi300a = adapter->pci_device == AMDGPU_MI300A,
    };
    set_kind(adapter, &signs);
}

/* Awake. */
static void discover(const struct drm_look *look, struct drm_adapter *adapter)
{
    struct amdgpu_state *state = adapter->driver_state;
    struct sysfs_folder device = device_once(look, adapter);
    char **names = NULL;
    size_t count = 0;
    if (root_list(look->root, look->scratch, adapter->folder, DEVICE_FILES_MAX, &names, &count) !=
        ROOT_OK) {
        count = 0;
    }
    state->has_memory_activity = has_name(names, count, "mem_busy_percent");
    state->has_video_activity = has_name(names, count, "vcn_busy_percent");
    state->has_metrics = has_name(names, count, "gpu_metrics");
    state->has_graphics_levels = has_name(names, count, "pp_dpm_sclk");
    state->has_memory_levels = has_name(names, count, "pp_dpm_mclk");
    hwmon_discover(look->root, look->scratch, adapter->folder, "amdgpu", true, &adapter->hwmon);
    discover_kind(look, adapter, has_name(names, count, "mem_info_vram_total"),
                  state->has_memory_activity);
    adapter->video_is_unified = find_unified_video(look, adapter);
    char errors[SYSFS_PATH_SIZE];
    state->has_error_counts =
        sysfs_path(errors, adapter->folder, "ras/umc_err_count") && root_exists(look->root, errors);
    if (has_name(names, count, "current_compute_partition")) {
        discover_partitions(&device, adapter);
    }
    if (state->has_graphics_levels) {
        adapter->max_clock_hz[CLOCK_GRAPHICS] = highest_level(&device, "pp_dpm_sclk");
    }
    if (state->has_memory_levels) {
        adapter->max_clock_hz[CLOCK_MEMORY] = highest_level(&device, "pp_dpm_mclk");
    }
}

static void discover_asleep(const struct drm_look *look, struct drm_adapter *adapter)
{
    struct sysfs_folder device = device_once(look, adapter);
    char buffer[64], path[SYSFS_PATH_SIZE];
    struct amdgpu_signs signs = {
        .vram_vendor = sysfs_text(&device, "mem_info_vram_vendor", buffer, sizeof buffer, NULL),
        .has_vram_files = sysfs_path(path, adapter->folder, "mem_info_vram_total") &&
                          root_exists(look->root, path),
        .is_mi300a = adapter->pci_device == AMDGPU_MI300A,
    };
    set_kind(adapter, &signs);
    adapter->video_is_unified = amdgpu_device_has_unified_video(adapter->pci_device);
}

static struct measured read_bytes(const struct sysfs_folder *device, const char *file)
{
    struct measured bytes = sysfs_number(device, file);
    return bytes.known && bytes.value < 0 ? measured_unknown(REASON_incredible_value) : bytes;
}

static struct measured within(struct measured used, struct measured total)
{
    bool larger = used.known && total.known && used.value > total.value;
    return larger ? measured_unknown(REASON_larger_than_adapter) : used;
}

static void read_memory(const struct drm_look *look, struct drm_adapter *adapter,
                        struct adapter_reading *out)
{
    struct sysfs_folder device = device_of(look, adapter);
    struct measured total = read_bytes(&device, "mem_info_vram_total");
    struct measured used = total;
    if (total.known) {
        used = within(read_bytes(&device, "mem_info_vram_used"), total);
    }
    out->vram_total_bytes = total;
    out->vram_used_bytes = used;
    out->vram_free_bytes = !total.known  ? total
                           : !used.known ? used
                                         : measured_known(total.value - used.value);
    struct measured shared_total = read_bytes(&device, "mem_info_gtt_total");
    out->shared_total_bytes = shared_total;
    out->shared_used_bytes = within(read_bytes(&device, "mem_info_gtt_used"), shared_total);
}

/* A clock where hwmon has none: the level that is marked in the table. */
static void read_level(const struct sysfs_folder *device, const char *file, struct said *clock)
{
    char buffer[SYSFS_TEXT_SIZE];
    enum reason why = REASON_not_reported;
    if (clock->how != HOW_UNAVAILABLE || clock->why_not != REASON_not_reported) {
        return;
    }
    struct raw_text table = sysfs_text(device, file, buffer, sizeof buffer, &why);
    if (table.bytes == NULL) {
        *clock = said_unknown(why);
        return;
    }
    struct dpm dpm;
    dpm_parse(table, &dpm);
    *clock = sysfs_frequency(dpm.current_mhz, 1000000);
}

static bool is_missing(struct said said)
{
    return said.how == HOW_UNAVAILABLE && said.why_not == REASON_not_reported;
}

static void take_metric(struct said *figure, struct measured value)
{
    if (is_missing(*figure)) {
        *figure = value.known ? said_value(value.value, HOW_REPORTED) : said_unknown(value.why_not);
    }
}

#define FIGURE(member) offsetof(struct adapter_reading, member)

/* Some machines have the table and no hwmon. */
static const struct {
    size_t offset;
    enum gpu_metric metric;
} fill_ins[] = {
    {FIGURE(temperature_millicelsius[TEMPERATURE_EDGE]), METRIC_TEMPERATURE_EDGE},
    {FIGURE(temperature_millicelsius[TEMPERATURE_HOTSPOT]), METRIC_TEMPERATURE_HOTSPOT},
    {FIGURE(temperature_millicelsius[TEMPERATURE_MEMORY]), METRIC_TEMPERATURE_MEMORY},
    {FIGURE(power_microwatts), METRIC_SOCKET_POWER},
    {FIGURE(fan_rpm), METRIC_FAN_RPM},
    {FIGURE(clock_hz[CLOCK_GRAPHICS]), METRIC_CURRENT_GFX_CLOCK},
    {FIGURE(clock_hz[CLOCK_MEMORY]), METRIC_CURRENT_MEMORY_CLOCK},
    {FIGURE(memory_activity_millipercent), METRIC_MEMORY_ACTIVITY},
};

/* gpu_metrics for what the other files lack. */
static void read_metrics(const struct sysfs_folder *device, struct amdgpu_state *state,
                         struct adapter_reading *out)
{
    char blob[GPU_METRICS_SIZE_MAX + 1]; /* a full buffer reads as truncated */
    size_t length = 0;
    int error = 0;
    struct gpu_metrics metrics;
    enum root_result result = sysfs_read(device, "gpu_metrics", blob, sizeof blob, &length, &error);
    if (result != ROOT_OK) {
        out->throttle_why_not = sysfs_reason(result, error, true);
        return;
    }
    if (!gpu_metrics_decode((struct raw_text){blob, length}, &metrics)) {
        out->throttle_why_not = REASON_not_supported;
        return;
    }
    for (size_t i = 0; i < sizeof fill_ins / sizeof fill_ins[0]; i++) {
        take_metric((struct said *)((char *)out + fill_ins[i].offset),
                    metrics.values[fill_ins[i].metric]);
    }
    take_metric(&out->engine_millipercent[ENGINE_video], metrics.values[METRIC_MEDIA_ACTIVITY]);
    take_metric(&out->engine_millipercent[ENGINE_jpeg], metrics.values[METRIC_JPEG_ACTIVITY]);
    take_metric(&out->energy_microjoules, metrics.values[METRIC_ENERGY]);
    take_metric(&out->clock_hz[CLOCK_VIDEO], metrics.values[METRIC_CURRENT_VIDEO_CLOCK]);
    take_metric(&out->clock_hz[CLOCK_VIDEO], metrics.values[METRIC_AVERAGE_VIDEO_CLOCK]);
    take_metric(&out->pcie_generation, metrics.values[METRIC_PCIE_GENERATION]);
    take_metric(&out->pcie_width, metrics.values[METRIC_PCIE_WIDTH]);
    amdgpu_throttle_read(&metrics, &state->residencies, out);
}

static void read_activity(const struct sysfs_folder *device, const struct amdgpu_state *state,
                          bool video_is_unified, struct adapter_reading *out)
{
    out->load_millipercent = sysfs_percent(sysfs_number(device, "gpu_busy_percent"), HOW_REPORTED);
    if (state->has_memory_activity) {
        out->memory_activity_millipercent =
            sysfs_percent(sysfs_number(device, "mem_busy_percent"), HOW_REPORTED);
    }
    if (state->has_video_activity) {
        out->engine_millipercent[ENGINE_video] =
            sysfs_percent(sysfs_number(device, "vcn_busy_percent"), HOW_REPORTED);
    }
    if (video_is_unified) {
        out->engine_millipercent[ENGINE_decode] = said_unknown(REASON_unified_ring);
        out->engine_millipercent[ENGINE_encode] = said_unknown(REASON_unified_ring);
    }
}

static void read_sensors(const struct drm_look *look, struct drm_adapter *adapter,
                         struct adapter_reading *out)
{
    struct amdgpu_state *state = adapter->driver_state;
    struct sysfs_folder device = device_of(look, adapter);
    read_activity(&device, state, adapter->video_is_unified, out);
    hwmon_read(look->root, look->files, &adapter->hwmon, true, out);
    if (state->has_graphics_levels) {
        read_level(&device, "pp_dpm_sclk", &out->clock_hz[CLOCK_GRAPHICS]);
    }
    if (state->has_memory_levels) {
        read_level(&device, "pp_dpm_mclk", &out->clock_hz[CLOCK_MEMORY]);
    }
    if (state->has_metrics) {
        read_metrics(&device, state, out);
    }
    if (state->has_error_counts) {
        amdgpu_ras_read(&state->ras, &device, look->now_ns, out);
    }
}

const struct drm_driver drm_driver_amdgpu = {
    .name = "amdgpu",
    .vendor = "amd",
    .regions = regions,
    .engines = engines,
    .statistics = DRM_STATISTICS_PRINTED,
    .missing_engine_is_zero = true,
    .always_prints_regions = true,
    .eperm_is_asleep = true,
    .state_size = sizeof(struct amdgpu_state),
    .discover = discover,
    .discover_asleep = discover_asleep,
    .read_memory = read_memory,
    .read_sensors = read_sensors,
};

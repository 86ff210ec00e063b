/* v3d (VideoCore of the Raspberry Pi 4 and 5): the load of its queues as the driver counts it. */
#include "gpu/drm/gpu_stats.h"
#include "gpu/drm/sensors.h"

enum { STATS_SIZE = 4096 };

struct v3d_state {
    struct gpu_stats last;
};

static const struct drm_region_rule regions[] = {
    {"memory", DRM_POOL_SHARED},
    {NULL, DRM_POOL_OTHER},
};
/* bin overlaps render in time, so that only one of them can stand for the 3D load. */
static const struct drm_engine_rule engines[] = {
    {"render", ENGINE_gfx}, {"tfu", ENGINE_copy}, {"csd", ENGINE_compute}, {NULL, ENGINE_other}};

/* The busier of two engines in one column, and of all columns. */
static void take_larger(struct said *most, struct said one)
{
    if (most->how == HOW_UNAVAILABLE || (one.how != HOW_UNAVAILABLE && one.value > most->value)) {
        *most = one;
    }
}

static void read_sensors(const struct drm_look *look, struct drm_adapter *adapter,
                         struct adapter_reading *out)
{
    struct v3d_state *state = adapter->driver_state;
    char buffer[STATS_SIZE];
    enum reason why = REASON_not_reported;
    struct gpu_stats now;
    struct sysfs_folder device = {
        .root = look->root, .path = adapter->folder, .files = look->files};
    drm_sensors_read(look, adapter, out);
    struct raw_text text = sysfs_text(&device, "gpu_stats", buffer, sizeof buffer, &why);
    if (text.bytes == NULL || !gpu_stats_parse(text, &now)) {
        out->load_millipercent = said_unknown(text.bytes == NULL ? why : REASON_call_failed);
        return;
    }
    for (size_t i = 0; i < now.count; i++) {
        struct said load = gpu_stats_load(&state->last, &now.queues[i]);
        enum engine column = drm_driver_column(adapter->driver, now.queues[i].name);
        take_larger(&out->engine_millipercent[column], load);
        take_larger(&out->load_millipercent, load);
    }
    state->last = now;
}

const struct drm_driver drm_driver_v3d = {
    .name = "v3d",
    .vendor = "broadcom",
    .regions = regions,
    .engines = engines,
    .statistics = DRM_STATISTICS_PERHAPS,
    .shares_memory = true,
    .state_size = sizeof(struct v3d_state),
    .discover = drm_sensors_discover,
    .read_memory = drm_sensors_read_unified,
    .read_sensors = read_sensors,
};

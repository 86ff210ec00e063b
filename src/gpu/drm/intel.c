/* The Intel drivers i915 and xe: Documentation/gpu/i915.rst and xe, their sysfs ABI documents. What
 * they are called and how their parts (intel_*.c) come together. */
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "gpu/drm/adapters.h"
#include "gpu/drm/driver.h"
#include "gpu/drm/intel_energy.h"
#include "gpu/drm/intel_gt.h"
#include "gpu/drm/intel_memory.h"
#include "gpu/drm/intel_pmu.h"

#define PROCESSOR "sys/devices/platform/coretemp.0/hwmon"

enum { NAMES_MAX = 64, PROCESSOR_SENSORS_MAX = 8 };

struct intel_state {
    struct intel_energy energy;
    struct intel_gts gts;
    struct intel_pmu *pmu;
    bool has_asked_memory;
    struct intel_memory memory;
    /* The processor's sensor, for an integrated GPU that has none; "" where there is none. */
    char processor_folder[SYSFS_PATH_SIZE];
    char processor_file[24];
};

static const struct drm_region_rule i915_regions[] = {
    {"local", DRM_POOL_VRAM},    {"stolen-local", DRM_POOL_VRAM},
    {"system", DRM_POOL_SHARED}, {"stolen-system", DRM_POOL_SHARED},
    {NULL, DRM_POOL_OTHER},
};
static const struct drm_engine_rule i915_engines[] = {
    {"render", ENGINE_gfx},      {"copy", ENGINE_copy},
    {"video", ENGINE_video},     {"video-enhance", ENGINE_enhance},
    {"compute", ENGINE_compute}, {NULL, ENGINE_other},
};
static const struct drm_region_rule xe_regions[] = {
    {"vram", DRM_POOL_VRAM},
    {"system", DRM_POOL_SHARED},
    {"gtt", DRM_POOL_SHARED},
    {NULL, DRM_POOL_OTHER},
};
static const struct drm_engine_rule xe_engines[] = {
    {"rcs", ENGINE_gfx},      {"bcs", ENGINE_copy},    {"vcs", ENGINE_video},
    {"vecs", ENGINE_enhance}, {"ccs", ENGINE_compute}, {NULL, ENGINE_other},
};

static bool is_xe(const struct drm_adapter *adapter)
{
    return strcmp(adapter->driver->name, "xe") == 0;
}

/* The integrated one is always device 0000:00:02; functions above 0 are its virtual ones (SR-IOV).
 */
static bool is_integrated(const struct drm_adapter *adapter)
{
    return strncmp(adapter->id, "pci:0000:00:02.", strlen("pci:0000:00:02.")) == 0;
}

static void set_kind(const struct drm_look *look, struct drm_adapter *adapter)
{
    (void)look;
    adapter->unified = is_integrated(adapter);
    adapter->kind = adapter->unified ? ADAPTER_INTEGRATED : ADAPTER_DISCRETE;
    adapter->kind_is_inferred = true;
}

/* The label of the sensor of the whole processor. */
static bool is_package_sensor(const struct sysfs_folder *folder, int number)
{
    char file[24], buffer[48];
    snprintf(file, sizeof file, "temp%d_label", number);
    struct raw_text label = sysfs_text(folder, file, buffer, sizeof buffer, NULL);
    return label.bytes != NULL && raw_equal_string(label, "Package id 0");
}

/* coretemp's first device; other hwmon folders are not looked into: one may be a sleeping card's.
 */
static void find_processor_sensor(const struct drm_look *look, struct intel_state *state)
{
    char **names = NULL;
    size_t count = 0;
    state->processor_folder[0] = '\0';
    if (root_list(look->root, look->scratch, PROCESSOR, NAMES_MAX, &names, &count) != ROOT_OK ||
        count == 0 || !sysfs_path(state->processor_folder, PROCESSOR, names[0])) {
        return;
    }
    struct sysfs_folder folder = {.root = look->root, .path = state->processor_folder};
    for (int number = 1; number <= PROCESSOR_SENSORS_MAX; number++) {
        if (is_package_sensor(&folder, number)) {
            snprintf(state->processor_file, sizeof state->processor_file, "temp%d_input", number);
            return;
        }
    }
    state->processor_folder[0] = '\0';
}

/* What the card's node told while it was awake. */
static void read_memory(const struct drm_look *look, struct drm_adapter *adapter,
                        struct adapter_reading *out)
{
    const struct intel_state *state = adapter->driver_state;
    (void)look;
    if (adapter->unified) {
        struct measured none = measured_unknown(REASON_unified_memory);
        out->vram_total_bytes = out->vram_used_bytes = out->vram_free_bytes = none;
    } else if (state->has_asked_memory) {
        out->vram_total_bytes = state->memory.total_bytes;
        out->vram_used_bytes = out->vram_free_bytes =
            state->memory.used_bytes.known ? measured_unknown(REASON_device_suspended)
                                           : state->memory.used_bytes;
    }
}

static const struct drm_node *render_node(const struct drm_adapter *adapter)
{
    for (size_t i = 0; i < adapter->node_count; i++) {
        if (!adapter->nodes[i].primary) {
            return &adapter->nodes[i];
        }
    }
    return NULL;
}

static void ask_memory(const struct drm_look *look, struct drm_adapter *adapter)
{
    struct intel_state *state = adapter->driver_state;
    const struct drm_node *node = render_node(adapter);
    char answer[INTEL_REGIONS_SIZE_MAX];
    size_t length;
    int error;
    enum intel_uapi uapi = is_xe(adapter) ? INTEL_UAPI_XE : INTEL_UAPI_I915;
    if (node == NULL || root_is_recorded(look->root)) {
        return;
    }
    state->has_asked_memory = true;
    if (intel_memory_ask(look->root, uapi, node->name, node->device_number, answer, &length,
                         &error)) {
        intel_memory_parse(uapi, (struct raw_text){answer, length}, &state->memory);
        return;
    }
    enum reason why = sysfs_reason(root_result_of(error), error, false);
    state->memory.total_bytes = state->memory.used_bytes = measured_unknown(why);
    state->memory.is_shared = false;
}

/* A driver that knows no memory of the GPU's own uses the system's, wherever on the bus it is: in a
 * guest a virtual function has any address. */
static void ask_kind(const struct drm_look *look, struct drm_adapter *adapter)
{
    struct intel_state *state = adapter->driver_state;
    if (adapter->unified || adapter->power_state != POWER_ACTIVE) {
        return;
    }
    ask_memory(look, adapter);
    if (state->memory.is_shared) {
        adapter->unified = true;
        adapter->kind = ADAPTER_INTEGRATED;
    }
}

static void discover(const struct drm_look *look, struct drm_adapter *adapter)
{
    struct intel_state *state = adapter->driver_state;
    set_kind(look, adapter);
    ask_kind(look, adapter);
    hwmon_discover(look->root, look->scratch, adapter->folder, adapter->driver_name, false,
                   &adapter->hwmon);
    if (is_xe(adapter)) {
        intel_gts_discover_xe(look, adapter, &state->gts);
    } else {
        intel_gts_discover_i915(look, adapter, &state->gts);
    }
    state->processor_folder[0] = '\0';
    if (adapter->unified && adapter->hwmon.temperature[TEMPERATURE_EDGE] == 0) {
        find_processor_sensor(look, state);
    }
    if (state->pmu == NULL) {
        state->pmu = intel_pmu_new();
    }
}

/* Asks for the total once, and again and again only where the answer tells what is used. */
static void read_card_memory(const struct drm_look *look, struct drm_adapter *adapter,
                             struct adapter_reading *out)
{
    struct intel_state *state = adapter->driver_state;
    if (adapter->unified || adapter->power_state != POWER_ACTIVE) {
        return;
    }
    if (!state->has_asked_memory || state->memory.used_bytes.known) {
        ask_memory(look, adapter);
    }
    read_memory(look, adapter, out);
    if (state->memory.total_bytes.known &&
        state->memory.used_bytes.why_not == REASON_not_permitted) {
        adapter->remedy = intel_pmu_remedy();
    }
    if (state->memory.used_bytes.known && state->memory.total_bytes.known) {
        out->vram_used_bytes = state->memory.used_bytes;
        out->vram_free_bytes =
            measured_known(state->memory.total_bytes.value - state->memory.used_bytes.value);
    }
}

static void read_energy(const struct drm_look *look, struct drm_adapter *adapter,
                        struct adapter_reading *out)
{
    struct intel_state *state = adapter->driver_state;
    const struct hwmon *hwmon = &adapter->hwmon;
    struct intel_energy_said said;
    struct intel_energy_seen seen = {
        .now_ns = look->now_ns,
        .card = hwmon_energy(look->root, look->files, hwmon, hwmon->energy_card),
        .package = hwmon_energy(look->root, look->files, hwmon, hwmon->energy_package),
    };
    if (hwmon->energy_card == 0 && hwmon->energy_package == 0) {
        return;
    }
    intel_energy_step(&state->energy, &seen, &said);
    out->energy_microjoules = said.energy;
    if (out->power_microwatts.how == HOW_UNAVAILABLE) {
        out->power_microwatts = said.power;
    }
}

/* The graphics unit is a part of the processor, whose temperature is close to its own. */
static void read_processor_temperature(const struct drm_look *look, const struct intel_state *state,
                                       struct adapter_reading *out)
{
    struct sysfs_folder folder = {
        .root = look->root, .path = state->processor_folder, .files = look->files};
    struct said *edge = &out->temperature_millicelsius[TEMPERATURE_EDGE];
    if (state->processor_folder[0] == '\0' || edge->how != HOW_UNAVAILABLE) {
        return;
    }
    *edge = sysfs_temperature(sysfs_number(&folder, state->processor_file));
    if (edge->how != HOW_UNAVAILABLE) {
        edge->how = HOW_INFERRED;
    }
}

/* Something keeps it awake that is not us. */
static bool may_hold_counters(const struct drm_look *look, const struct drm_adapter *adapter)
{
    char buffer[32];
    struct sysfs_folder device = {
        .root = look->root, .path = adapter->folder, .files = look->files};
    return adapter->has_clients ||
           !raw_equal_string(sysfs_text(&device, "power/control", buffer, sizeof buffer, NULL),
                             "auto");
}

static void read_sensors(const struct drm_look *look, struct drm_adapter *adapter,
                         struct adapter_reading *out)
{
    struct intel_state *state = adapter->driver_state;
    bool may_hold = may_hold_counters(look, adapter);
    intel_pmu_read(state->pmu, look, adapter, may_hold, out);
    hwmon_read(look->root, look->files, &adapter->hwmon, false, out);
    read_energy(look, adapter, out);
    read_processor_temperature(look, state, out);
    intel_gts_read(look, &state->gts, out);
    if (out->load_millipercent.how == HOW_UNAVAILABLE) {
        struct said bound = intel_gts_awake_millipercent(look, &state->gts);
        if (bound.how != HOW_UNAVAILABLE) {
            out->load_millipercent = bound;
        }
    }
    read_card_memory(look, adapter, out);
}

static void release(void *driver_state)
{
    struct intel_state *state = driver_state;
    if (state->pmu != NULL) {
        intel_pmu_release(state->pmu);
    }
}

static void forget(void *driver_state)
{
    struct intel_state *state = driver_state;
    intel_pmu_free(&state->pmu);
}

const struct drm_driver drm_driver_i915 = {
    .name = "i915",
    .vendor = "intel",
    .regions = i915_regions,
    .engines = i915_engines,
    .statistics = DRM_STATISTICS_PRINTED,
    .state_size = sizeof(struct intel_state),
    .forget = forget,
    .release = release,
    .discover = discover,
    .discover_asleep = set_kind,
    .read_memory = read_memory,
    .read_sensors = read_sensors,
};

const struct drm_driver drm_driver_xe = {
    .name = "xe",
    .vendor = "intel",
    .regions = xe_regions,
    .engines = xe_engines,
    .statistics = DRM_STATISTICS_PRINTED,
    .fdinfo_wakes = true, /* it takes a runtime-PM reference */
    .state_size = sizeof(struct intel_state),
    .forget = forget,
    .release = release,
    .discover = discover,
    .discover_asleep = set_kind,
    .read_memory = read_memory,
    .read_sensors = read_sensors,
};

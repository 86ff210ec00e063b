#include "gpu/drm/intel_pmu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "gpu/drm/pmu.h"
#include "os/perf_counters.h"

#define UNITS "sys/bus/event_source/devices"

enum { EVENTS_MAX = 512, XE_GTS = 4, XE_INSTANCES = 8, FULL = 100000, JITTER_FULL = 110000 };

static const char remedy_text[] =
    "engine loads, power and used VRAM need CAP_PERFMON: "
    "sudo setcap cap_perfmon+ep \"$(command -v gputaskman)\", or run it with sudo";

/* One counter of the GPU's group. */
struct counter {
    enum engine column;
    bool is_total; /* the clock of the counters behind it, up to the next one */
};

struct group {
    struct perf_counters *counters; /* NULL: not open */
    struct counter items[PERF_COUNTERS_MAX];
    uint64_t before[PERF_COUNTERS_MAX];
    int64_t before_ns;
    bool has_before;
};

struct intel_pmu {
    bool denied;  /* asked once; what is permitted does not change while we run */
    bool missing; /* there is no such unit, or it counts no engines */
    bool power_missing;
    struct group engines;
    struct group power;
    double joules_a_count;
};

/* A unit, as sysfs describes it. */
struct unit {
    struct sysfs_folder folder;
    char path[SYSFS_PATH_SIZE];
    uint32_t type;
    int cpu;
};

struct intel_pmu *intel_pmu_new(void)
{
    return memory_new(sizeof(struct intel_pmu));
}

const char *intel_pmu_remedy(void)
{
    return remedy_text;
}

static void close_group(struct group *group)
{
    perf_counters_free(&group->counters);
    group->has_before = false;
}

void intel_pmu_release(struct intel_pmu *pmu)
{
    close_group(&pmu->engines);
    close_group(&pmu->power);
}

void intel_pmu_free(struct intel_pmu **pmu)
{
    if (*pmu != NULL) {
        intel_pmu_release(*pmu);
        free(*pmu);
        *pmu = NULL;
    }
}

static bool open_unit(const struct drm_look *look, const char *name, struct unit *unit)
{
    char buffer[64];
    snprintf(unit->path, sizeof unit->path, UNITS "/%s", name);
    unit->folder = (struct sysfs_folder){.root = look->root, .path = unit->path};
    struct measured type = sysfs_number(&unit->folder, "type");
    if (!type.known || type.value < 0 || type.value > UINT32_MAX) {
        return false;
    }
    unit->type = (uint32_t)type.value;
    unit->cpu = pmu_parse_cpu(sysfs_text(&unit->folder, "cpumask", buffer, sizeof buffer, NULL));
    return true;
}

/* "xe_0000_00_02.0", and "i915" for the integrated GPU alone. */
static void unit_name(const struct drm_adapter *adapter, char out[ADAPTER_ID_SIZE + 8])
{
    snprintf(out, ADAPTER_ID_SIZE + 8, "%s_%s", adapter->driver->name,
             adapter->id + strlen("pci:"));
    for (char *at = out; *at != '\0'; at++) {
        if (*at == ':') {
            *at = '_';
        }
    }
    if (adapter->unified && strcmp(adapter->driver->name, "i915") == 0) {
        snprintf(out, ADAPTER_ID_SIZE + 8, "i915");
    }
}

static enum perf_result add_counter(struct group *group, const struct unit *unit, uint64_t config,
                                    struct counter counter)
{
    size_t at = perf_counters_count(group->counters);
    enum perf_result result = perf_counters_add(group->counters, unit->type, config, unit->cpu);
    if (result == PERF_ADDED) {
        group->items[at] = counter;
    }
    return result;
}

static bool event_config(const struct unit *unit, const char *event, const char *key,
                         uint64_t *config)
{
    char file[80], buffer[128];
    snprintf(file, sizeof file, "events/%.64s", event);
    struct raw_text text = sysfs_text(&unit->folder, file, buffer, sizeof buffer, NULL);
    return text.bytes != NULL && pmu_parse_term(text, key, config);
}

static enum perf_result open_i915(const struct drm_look *look, const struct drm_driver *driver,
                                  const struct unit *unit, struct group *group)
{
    static const char *const classes[][2] = {{"rcs", "render"},
                                             {"bcs", "copy"},
                                             {"vcs", "video"},
                                             {"vecs", "video-enhance"},
                                             {"ccs", "compute"}};
    char folder[SYSFS_PATH_SIZE], **names = NULL;
    size_t count = 0;
    if (!sysfs_path(folder, unit->path, "events") ||
        root_list(look->root, look->scratch, folder, EVENTS_MAX, &names, &count) != ROOT_OK) {
        return PERF_UNSUPPORTED;
    }
    for (size_t i = 0; i < count; i++) {
        char class_name[8];
        uint64_t config;
        if (!pmu_parse_busy_event(names[i], class_name) ||
            !event_config(unit, names[i], "config", &config)) {
            continue;
        }
        struct counter counter = {.column = ENGINE_other};
        for (size_t k = 0; k < sizeof classes / sizeof classes[0]; k++) {
            if (strcmp(classes[k][0], class_name) == 0) {
                counter.column = drm_driver_column(driver, classes[k][1]);
            }
        }
        enum perf_result result = add_counter(group, unit, config, counter);
        if (result != PERF_ADDED && result != PERF_UNSUPPORTED) {
            return result;
        }
    }
    return PERF_ADDED;
}

/* How the config of an xe event is put together. */
struct xe_events {
    uint64_t active, total;
    struct pmu_field event, gt, class_number, instance;
};

static bool read_field(const struct unit *unit, const char *name, struct pmu_field *field)
{
    char file[48], buffer[64];
    snprintf(file, sizeof file, "format/%s", name);
    struct raw_text text = sysfs_text(&unit->folder, file, buffer, sizeof buffer, NULL);
    return text.bytes != NULL && pmu_parse_field(text, field);
}

static bool read_xe_events(const struct unit *unit, struct xe_events *events)
{
    return event_config(unit, "engine-active-ticks", "event", &events->active) &&
           event_config(unit, "engine-total-ticks", "event", &events->total) &&
           read_field(unit, "event", &events->event) && read_field(unit, "gt", &events->gt) &&
           read_field(unit, "engine_class", &events->class_number) &&
           read_field(unit, "engine_instance", &events->instance);
}

static bool xe_config(const struct xe_events *events, uint64_t event, uint64_t gt,
                      uint64_t class_number, uint64_t instance, uint64_t *config)
{
    *config = 0;
    return pmu_set_field(events->event, event, config) && pmu_set_field(events->gt, gt, config) &&
           pmu_set_field(events->class_number, class_number, config) &&
           pmu_set_field(events->instance, instance, config);
}

/* Both counters of one engine; the clock first. PERF_UNSUPPORTED where there is no such engine. */
static enum perf_result add_xe_engine(struct group *group, const struct unit *unit,
                                      const struct xe_events *events, uint64_t gt,
                                      uint64_t class_number, uint64_t instance)
{
    static const enum engine columns[] = {ENGINE_gfx, ENGINE_copy, ENGINE_video, ENGINE_enhance,
                                          ENGINE_compute};
    uint64_t total, active;
    if (!xe_config(events, events->total, gt, class_number, instance, &total) ||
        !xe_config(events, events->active, gt, class_number, instance, &active)) {
        return PERF_UNSUPPORTED;
    }
    struct counter clock = {.column = columns[class_number], .is_total = true};
    struct counter busy = {.column = columns[class_number]};
    enum perf_result result = add_counter(group, unit, total, clock);
    return result == PERF_ADDED ? add_counter(group, unit, active, busy) : result;
}

/* sysfs does not say which engines there are (some are fused off): all are tried. */
static enum perf_result open_xe(const struct unit *unit, struct group *group)
{
    struct xe_events events;
    if (!read_xe_events(unit, &events)) {
        return PERF_UNSUPPORTED;
    }
    for (uint64_t gt = 0; gt < XE_GTS; gt++) {
        for (uint64_t class_number = 0; class_number < 5; class_number++) {
            for (uint64_t instance = 0; instance < XE_INSTANCES; instance++) {
                enum perf_result result =
                    add_xe_engine(group, unit, &events, gt, class_number, instance);
                if (result == PERF_DENIED || result == PERF_FAILED) {
                    return result;
                }
            }
        }
    }
    return PERF_ADDED;
}

static void open_engines(struct intel_pmu *pmu, const struct drm_look *look,
                         const struct drm_adapter *adapter)
{
    char name[ADAPTER_ID_SIZE + 8];
    struct unit unit;
    unit_name(adapter, name);
    if (!open_unit(look, name, &unit)) {
        pmu->missing = true;
        return;
    }
    struct group *group = &pmu->engines;
    group->counters = perf_counters_new();
    enum perf_result result = strcmp(adapter->driver->name, "xe") == 0
                                  ? open_xe(&unit, group)
                                  : open_i915(look, adapter->driver, &unit, group);
    pmu->denied = result == PERF_DENIED;
    pmu->missing = result == PERF_UNSUPPORTED ||
                   (result == PERF_ADDED && perf_counters_count(group->counters) == 0);
    if (result != PERF_ADDED || pmu->missing) {
        close_group(group);
    }
}

/* Only the graphics domain: energy-pkg is the whole processor. */
static void open_power(struct intel_pmu *pmu, const struct drm_look *look)
{
    char buffer[64];
    struct unit unit;
    uint64_t event = 0;
    pmu->power_missing = true;
    if (!open_unit(look, "power", &unit) || !event_config(&unit, "energy-gpu", "event", &event) ||
        !pmu_parse_scale(
            sysfs_text(&unit.folder, "events/energy-gpu.scale", buffer, sizeof buffer, NULL),
            &pmu->joules_a_count)) {
        return;
    }
    pmu->power.counters = perf_counters_new();
    enum perf_result result =
        add_counter(&pmu->power, &unit, event, (struct counter){.column = ENGINE_other});
    pmu->power_missing = result == PERF_UNSUPPORTED;
    pmu->denied |= result == PERF_DENIED;
    if (result != PERF_ADDED) {
        close_group(&pmu->power);
    }
}

/* The growth of a group's counters since the last read, in `growth`; *elapsed_ns as counted by the
 * kernel. False for the first read, and when a counter went back. */
static bool step_group(struct group *group, uint64_t growth[PERF_COUNTERS_MAX], int64_t *elapsed_ns)
{
    uint64_t now[PERF_COUNTERS_MAX];
    int64_t now_ns;
    if (!perf_counters_read(group->counters, now, &now_ns)) {
        return false;
    }
    bool usable = group->has_before && now_ns > group->before_ns;
    size_t count = perf_counters_count(group->counters);
    for (size_t i = 0; i < count; i++) {
        usable = usable && now[i] >= group->before[i];
        growth[i] = now[i] - group->before[i];
        group->before[i] = now[i];
    }
    *elapsed_ns = now_ns - group->before_ns;
    group->before_ns = now_ns;
    group->has_before = true;
    return usable;
}

static struct said share(double busy, double whole)
{
    if (whole <= 0) {
        return said_unknown(REASON_need_two_samples);
    }
    double part = busy / whole * FULL;
    if (part > JITTER_FULL) {
        return said_unknown(REASON_incredible_value);
    }
    return said_measured(part < FULL ? (int64_t)(part + 0.5) : FULL);
}

static void read_engines(struct intel_pmu *pmu, struct adapter_reading *out)
{
    uint64_t growth[PERF_COUNTERS_MAX] = {0};
    int64_t elapsed_ns = 0;
    double busy[ENGINE_COUNT] = {0}, whole[ENGINE_COUNT] = {0};
    struct group *group = &pmu->engines;
    out->load_millipercent = said_unknown(REASON_need_two_samples);
    if (!step_group(group, growth, &elapsed_ns)) {
        return;
    }
    double clock = (double)elapsed_ns;
    for (size_t i = 0; i < perf_counters_count(group->counters); i++) {
        if (group->items[i].is_total) {
            clock = (double)growth[i];
        } else {
            busy[group->items[i].column] += (double)growth[i];
            whole[group->items[i].column] += clock;
        }
    }
    for (int column = 0; column < ENGINE_COUNT; column++) {
        struct said *engine = &out->engine_millipercent[column];
        if (whole[column] <= 0) {
            continue;
        }
        *engine = share(busy[column], whole[column]);
        struct said *load = &out->load_millipercent;
        if (engine->how != HOW_UNAVAILABLE &&
            (load->how == HOW_UNAVAILABLE || engine->value > load->value)) {
            *load = *engine;
        }
    }
}

static void read_power(struct intel_pmu *pmu, struct adapter_reading *out)
{
    uint64_t growth[PERF_COUNTERS_MAX] = {0};
    int64_t elapsed_ns = 0;
    out->power_microwatts = said_unknown(REASON_need_two_samples);
    if (step_group(&pmu->power, growth, &elapsed_ns)) {
        double microwatts =
            (double)growth[0] * pmu->joules_a_count * 1e6 * 1e9 / (double)elapsed_ns;
        struct measured power = microwatts < 1e12 ? measured_known((int64_t)(microwatts + 0.5))
                                                  : measured_unknown(REASON_incredible_value);
        out->power_microwatts = sysfs_power(power);
    }
}

void intel_pmu_read(struct intel_pmu *pmu, const struct drm_look *look, struct drm_adapter *adapter,
                    bool may_hold, struct adapter_reading *out)
{
    out->load_millipercent = said_unknown(REASON_not_permitted);
    if (adapter->unified && !pmu->power_missing) {
        out->power_microwatts = said_unknown(REASON_not_permitted);
    }
    adapter->remedy = pmu->denied ? remedy_text : NULL;
    if (root_is_recorded(look->root) || pmu->denied) {
        return; /* a recorded machine's counters are not this one's */
    }
    if (!may_hold) {
        intel_pmu_release(pmu);
        out->load_millipercent = said_unknown(REASON_need_two_samples);
        return;
    }
    if (pmu->engines.counters == NULL && !pmu->missing) {
        open_engines(pmu, look, adapter);
    }
    if (adapter->unified && pmu->power.counters == NULL && !pmu->power_missing && !pmu->denied) {
        open_power(pmu, look);
    }
    if (pmu->engines.counters != NULL) {
        read_engines(pmu, out);
    } else if (!pmu->denied) {
        out->load_millipercent =
            said_unknown(pmu->missing ? REASON_not_reported : REASON_call_failed);
    }
    if (pmu->power.counters != NULL) {
        read_power(pmu, out);
    } else if (adapter->unified && pmu->power_missing) {
        out->power_microwatts = said_unknown(REASON_not_reported);
    }
    adapter->remedy = pmu->denied ? remedy_text : NULL;
}

#include "gpu/drm/figures.h"

#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "gpu/drm/pci_link.h"

enum { DETAIL_SIZE = 1024, VENDOR_AMD = 0x1002, VENDOR_INTEL = 0x8086, VENDOR_NVIDIA = 0x10de };

static const int64_t autosuspend_default_ms = 5000;

static struct raw_text keep(struct arena *arena, const char *string)
{
    size_t length = strlen(string);
    if (length == 0) {
        return (struct raw_text){NULL, 0};
    }
    return (struct raw_text){arena_string(arena, string, length), length};
}

static const char *vendor_of(const struct drm_adapter *adapter)
{
    if (adapter->driver->vendor != NULL) {
        return adapter->driver->vendor;
    }
    switch (adapter->pci_vendor) {
    case VENDOR_AMD:
        return "amd";
    case VENDOR_INTEL:
        return "intel";
    case VENDOR_NVIDIA:
        return "nvidia";
    default:
        return "";
    }
}

static void describe_nodes(const struct drm_adapter *adapter, struct arena *arena,
                           struct adapter_reading *out)
{
    for (int primary = 0; primary <= 1; primary++) {
        for (size_t i = 0; i < adapter->node_count; i++) {
            char path[DRM_NAME_SIZE + 16];
            if (adapter->nodes[i].primary != (primary == 1)) {
                continue;
            }
            snprintf(path, sizeof path, "/dev/dri/%s", adapter->nodes[i].name);
            out->nodes[out->node_count] = keep(arena, path);
            out->device_numbers[out->node_count++] = adapter->nodes[i].device_number;
        }
    }
}

void drm_figures_describe(const struct drm_adapter *adapter, struct arena *arena,
                          struct adapter_reading *out)
{
    *out = (struct adapter_reading){.source = "drm", .driver_index = adapter->order};
    snprintf(out->id, sizeof out->id, "%s", adapter->id);
    out->name = keep(arena, adapter->name);
    out->vendor = keep(arena, vendor_of(adapter));
    out->driver = keep(arena, adapter->driver_name);
    out->driver_version = keep(arena, adapter->driver_version);
    out->has_pci_ids = adapter->has_pci_ids;
    out->pci_vendor = adapter->pci_vendor;
    out->pci_device = adapter->pci_device;
    out->pci_subsystem_vendor = adapter->pci_subsystem_vendor;
    out->pci_subsystem_device = adapter->pci_subsystem_device;
    out->pci_revision = adapter->pci_revision;
    describe_nodes(adapter, arena, out);
    out->power_state = adapter->power_state;
    out->kind = adapter->kind;
    out->kind_is_inferred = adapter->kind_is_inferred;
    out->unified = adapter->unified;
    out->video_is_unified = adapter->video_is_unified;
    out->figures_from = adapter->driver->figures_from;
}

void drm_figures_discover(const struct drm_look *look, struct drm_adapter *adapter)
{
    const struct drm_driver *driver = adapter->driver;
    if (adapter->driver_state == NULL && driver->state_size > 0) {
        adapter->driver_state = memory_new(driver->state_size);
    }
    if (driver->shares_memory || !adapter->has_pci_ids) {
        adapter->kind = ADAPTER_INTEGRATED;
        adapter->kind_is_inferred = !driver->shares_memory;
        adapter->unified = true;
    }
    if (!adapter->may_read && !adapter->discovered && driver->discover_asleep != NULL) {
        driver->discover_asleep(look, adapter);
    }
    /* A recorded machine may be another one in the next sample. */
    if (!adapter->may_read || (adapter->discovered && !root_is_recorded(look->root))) {
        return;
    }
    if (driver->discover != NULL) {
        driver->discover(look, adapter);
    }
    adapter->link_folder[0] = '\0';
    adapter->discovered = true;
}

/* The common reason of everything that was not read. */
static void set_sensors_unknown(const struct drm_adapter *adapter, enum reason why,
                                struct adapter_reading *out)
{
    struct said none = said_unknown(why);
    out->figures_why_not = why;
    out->load_millipercent = out->memory_activity_millipercent = none;
    for (int i = 0; i < ENGINE_COUNT; i++) {
        out->engine_millipercent[i] = none;
    }
    for (int i = 0; i < TEMPERATURE_COUNT; i++) {
        out->temperature_millicelsius[i] = none;
    }
    for (int i = 0; i < CLOCK_COUNT; i++) {
        out->clock_hz[i] = out->max_clock_hz[i] = none;
    }
    out->power_microwatts = out->power_limit_microwatts = out->energy_microjoules = none;
    out->fan_millipercent = out->fan_rpm = none;
    out->throttle_why_not = why;
    if (adapter->kind == ADAPTER_DISCRETE) {
        pci_link_set_unknown(out, why);
    }
}

/* What was found out while it was awake stays true. */
static void keep_static(const struct drm_adapter *adapter, struct adapter_reading *out)
{
    for (int i = 0; i < CLOCK_COUNT; i++) {
        if (adapter->max_clock_hz[i].how != HOW_UNAVAILABLE) {
            out->max_clock_hz[i] = adapter->max_clock_hz[i];
        }
    }
    if (adapter->pcie_max_generation.how != HOW_UNAVAILABLE) {
        out->pcie_max_generation = adapter->pcie_max_generation;
        out->pcie_max_width = adapter->pcie_max_width;
    }
}

static void read_link(const struct drm_look *look, struct drm_adapter *adapter,
                      struct adapter_reading *out)
{
    bool first = adapter->link_folder[0] == '\0';
    if (first) {
        pci_link_find(look->root, adapter->folder, adapter->pci_vendor, adapter->link_folder);
    }
    struct sysfs_folder link = {
        .root = look->root, .path = adapter->link_folder, .files = look->files};
    pci_link_read(&link, first, out);
    if (first) {
        adapter->pcie_max_generation = out->pcie_max_generation;
        adapter->pcie_max_width = out->pcie_max_width;
    } else {
        out->pcie_max_generation = adapter->pcie_max_generation;
        out->pcie_max_width = adapter->pcie_max_width;
    }
}

static bool is_control_auto(const struct sysfs_folder *device)
{
    char buffer[32];
    return raw_equal_string(sysfs_text(device, "power/control", buffer, sizeof buffer, NULL),
                            "auto");
}

/* Whether an idle card's sensors are left alone in this pass so that it can fall asleep. */
static bool is_left_alone(const struct drm_look *look, struct drm_adapter *adapter)
{
    struct idle_seen seen = {
        .now_ns = look->now_ns,
        .interval_ns = look->pass->interval_ns,
        .autosuspend_delay_ns = autosuspend_default_ms * 1000000,
        .in_use = adapter->has_clients || adapter->had_load,
    };
    if (!seen.in_use && !look->pass->one_shot && adapter->kind == ADAPTER_DISCRETE &&
        adapter->power_state == POWER_ACTIVE) {
        struct sysfs_folder device = {
            .root = look->root, .path = adapter->folder, .files = look->files};
        seen.can_suspend = is_control_auto(&device);
        struct measured delay = sysfs_number(&device, "power/autosuspend_delay_ms");
        if (delay.known && delay.value >= 0 && delay.value <= INT32_MAX) {
            seen.autosuspend_delay_ns = delay.value * 1000000;
        }
    }
    return idle_watch_step(&adapter->idle, &seen);
}

void drm_figures_read(const struct drm_look *look, struct drm_adapter *adapter,
                      struct adapter_reading *out)
{
    const struct drm_driver *driver = adapter->driver;
    if (driver->read_memory != NULL) {
        driver->read_memory(look, adapter, out);
    }
    bool has_slot = adapter->has_pci_ids && adapter->kind != ADAPTER_INTEGRATED;
    if (!has_slot) {
        pci_link_set_unknown(out, REASON_not_supported);
    }
    bool left_alone = is_left_alone(look, adapter);
    if (!adapter->may_read || left_alone) {
        if (driver->release != NULL && adapter->driver_state != NULL) {
            driver->release(adapter->driver_state);
        }
        /* What the kernel does not say of its state is not called sleep. */
        bool rests = left_alone || adapter->power_state == POWER_SUSPENDED;
        set_sensors_unknown(adapter, rests ? REASON_device_suspended : REASON_call_failed, out);
        keep_static(adapter, out);
        return;
    }
    if (driver->figures_from != NULL) {
        return;
    }
    if (has_slot) {
        read_link(look, adapter, out);
    }
    keep_static(adapter, out);
    if (driver->read_sensors != NULL) {
        driver->read_sensors(look, adapter, out);
    }
    /* An estimate from the time awake would call a card busy that only we keep awake. */
    adapter->had_load = out->load_millipercent.how != HOW_UNAVAILABLE &&
                        out->load_millipercent.how != HOW_ESTIMATED &&
                        out->load_millipercent.value > 0;
}

/* What is said of one adapter, as one clause; "" for nothing. */
static void describe_detail(const struct drm_adapter *adapter, char *out, size_t size)
{
    const char *modes = adapter->partition_modes;
    const char *parts[3] = {NULL, NULL, NULL};
    size_t count = 0;
    if (modes[0] != '\0') {
        parts[count++] = modes;
    }
    if (adapter->idle.paused) {
        parts[count++] = "idle, and left alone so that it can fall asleep";
    }
    if (adapter->remedy != NULL) {
        parts[count++] = adapter->remedy;
    }
    out[0] = '\0';
    if (count > 0) {
        snprintf(out, size, "%s: %s%s%s%s%s", adapter->id, parts[0], count > 1 ? "; " : "",
                 count > 1 ? parts[1] : "", count > 2 ? "; " : "", count > 2 ? parts[2] : "");
    }
}

struct raw_text drm_figures_detail(const struct drm_look *look, const struct drm_adapters *adapters)
{
    char text[DETAIL_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; i < adapters->count && used < sizeof text; i++) {
        char clause[DETAIL_SIZE];
        describe_detail(adapters->items[i], clause, sizeof clause);
        if (clause[0] != '\0') {
            int length =
                snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "; " : "", clause);
            used += length > 0 ? (size_t)length : 0;
        }
    }
    return keep(look->arena, text);
}

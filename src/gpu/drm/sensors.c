#include "gpu/drm/sensors.h"

#include <stdio.h>
#include <string.h>

#define CLOCKS "sys/class/devfreq"

static const char profiling_remedy[] = "engine times of its processes are off: "
                                       "echo 1 | sudo tee /sys/class/drm/renderD*/device/profiling";

enum { CLOCKS_MAX = 256 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* The clock has the device's name. Where the DRM device is the display controller (msm) the GPU is
 * a device of its own, "5000000.gpu", and the only one called so. */
static void find_clock(const struct drm_look *look, struct drm_adapter *adapter)
{
    char **names = NULL;
    size_t count = 0;
    const char *slash = strrchr(adapter->folder, '/');
    const char *device = slash == NULL ? adapter->folder : slash + 1;
    const char *found = NULL;
    adapter->clock_folder[0] = '\0';
    if (adapter->has_pci_ids ||
        root_list(look->root, look->scratch, CLOCKS, CLOCKS_MAX, &names, &count) != ROOT_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], device) == 0) {
            found = names[i];
            break;
        }
        if (adapter->driver->is_bound_by_display && ends_with(names[i], ".gpu")) {
            found = names[i];
        }
    }
    if (found != NULL) {
        snprintf(adapter->clock_folder, sizeof adapter->clock_folder, CLOCKS "/%.200s", found);
    }
}

void drm_sensors_discover(const struct drm_look *look, struct drm_adapter *adapter)
{
    hwmon_discover(look->root, look->scratch, adapter->folder, adapter->driver_name, false,
                   &adapter->hwmon);
    find_clock(look, adapter);
    char path[SYSFS_PATH_SIZE];
    adapter->has_profiling_file =
        sysfs_path(path, adapter->folder, "profiling") && root_exists(look->root, path);
    if (adapter->clock_folder[0] != '\0') {
        struct sysfs_folder clock = {.root = look->root, .path = adapter->clock_folder};
        adapter->max_clock_hz[CLOCK_GRAPHICS] =
            sysfs_frequency(sysfs_number(&clock, "max_freq"), 1);
    }
}

/* Says what turns engine times on; the program itself changes nothing. */
static void read_profiling(const struct drm_look *look, struct drm_adapter *adapter)
{
    struct sysfs_folder device = {
        .root = look->root, .path = adapter->folder, .files = look->files};
    struct measured mask = sysfs_number(&device, "profiling");
    adapter->remedy = mask.known && mask.value == 0 ? profiling_remedy : NULL;
}

void drm_sensors_read(const struct drm_look *look, struct drm_adapter *adapter,
                      struct adapter_reading *out)
{
    hwmon_read(look->root, look->files, &adapter->hwmon, false, out);
    if (adapter->has_profiling_file) {
        read_profiling(look, adapter);
    }
    if (adapter->clock_folder[0] != '\0') {
        struct sysfs_folder clock = {
            .root = look->root, .path = adapter->clock_folder, .files = look->files};
        out->clock_hz[CLOCK_GRAPHICS] = sysfs_frequency(sysfs_number(&clock, "cur_freq"), 1);
    }
}

void drm_sensors_read_unified(const struct drm_look *look, struct drm_adapter *adapter,
                              struct adapter_reading *out)
{
    (void)look;
    (void)adapter;
    struct measured none = measured_unknown(REASON_unified_memory);
    out->vram_total_bytes = out->vram_used_bytes = out->vram_free_bytes = none;
}

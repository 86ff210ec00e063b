#include "gpu/nvml/tegra.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/drm/adapter_identity.h"
#include "gpu/drm/adapters.h"
#include "gpu/drm/sysfs.h"
#include "gpu/drm/uevent.h"

#define ZONES "sys/class/thermal"
#define NODES "sys/class/drm"

enum { ZONES_MAX = 256, NODES_MAX = 4096 };

static const char *const load_folders[] = {
    "sys/devices/platform/gpu.0",
    "sys/devices/gpu.0",
    "sys/devices/platform/bus@0/17000000.gpu",
    "sys/devices/platform/17000000.gpu",
};

static void find_load(struct tegra *tegra, const struct root *root)
{
    for (size_t i = 0; i < sizeof load_folders / sizeof load_folders[0]; i++) {
        char path[SYSFS_PATH_SIZE];
        if (sysfs_path(path, load_folders[i], "load") && root_exists(root, path)) {
            snprintf(tegra->load_folder, sizeof tegra->load_folder, "%s", load_folders[i]);
            return;
        }
    }
}

/* "GPU-therm" before Orin, "gpu-thermal" since. */
static void find_zone(struct tegra *tegra, const struct root *root)
{
    char **names = NULL;
    size_t count = 0;
    struct arena *scratch = arena_new();
    if (root_list(root, scratch, ZONES, ZONES_MAX, &names, &count) != ROOT_OK)
        count = 0;
    for (size_t i = 0; i < count && tegra->zone_folder[0] == '\0'; i++) {
        char path[SYSFS_PATH_SIZE], buffer[32];
        if (strncmp(names[i], "thermal_zone", strlen("thermal_zone")) != 0 ||
            strlen(names[i]) > 32 || !sysfs_path(path, ZONES, names[i]))
            continue;
        struct sysfs_folder zone = {.root = root, .path = path};
        struct raw_text type = sysfs_text(&zone, "type", buffer, sizeof buffer, NULL);
        if (type.bytes != NULL &&
            (raw_equal_string(type, "gpu-thermal") || raw_equal_string(type, "GPU-therm")))
            snprintf(tegra->zone_folder, sizeof tegra->zone_folder, ZONES "/%.32s", names[i]);
    }
    arena_free(&scratch);
}

static bool is_unsupported(struct said said)
{
    return said.how == HOW_UNAVAILABLE && said.why_not == REASON_not_supported;
}

void tegra_complete(struct tegra *tegra, const struct root *root, struct adapter_reading *adapter)
{
    struct said *edge = &adapter->temperature_millicelsius[TEMPERATURE_EDGE];
    if (root == NULL || !adapter->unified || !is_unsupported(adapter->load_millipercent))
        return;
    if (!tegra->looked || root_is_recorded(root)) {
        *tegra = (struct tegra){.looked = true};
        find_load(tegra, root);
        find_zone(tegra, root);
    }
    if (tegra->load_folder[0] != '\0') {
        struct sysfs_folder gpu = {.root = root, .path = tegra->load_folder};
        struct measured permille = sysfs_number(&gpu, "load");
        bool credible = permille.known && permille.value >= 0 && permille.value <= 1000;
        adapter->load_millipercent =
            credible ? said_value(permille.value * 100, HOW_REPORTED)
                     : said_unknown(permille.known ? REASON_incredible_value : permille.why_not);
    }
    if (tegra->zone_folder[0] != '\0' && is_unsupported(*edge)) {
        struct sysfs_folder zone = {.root = root, .path = tegra->zone_folder};
        *edge = sysfs_temperature(sysfs_number(&zone, "temp"));
    }
}

/* "nvidia,tegra234-display" */
static bool is_display(struct raw_text compatible)
{
    static const char start[] = "nvidia,tegra", end[] = "-display";
    size_t ends = strlen(start) + strlen(end);
    return compatible.length > ends && memcmp(compatible.bytes, start, strlen(start)) == 0 &&
           memcmp(compatible.bytes + compatible.length - strlen(end), end, strlen(end)) == 0;
}

static bool find_display(const struct root *root, char id[ADAPTER_ID_SIZE])
{
    char **names = NULL;
    size_t count = 0;
    bool found = false;
    struct arena *scratch = arena_new();
    if (root_list(root, scratch, NODES, NODES_MAX, &names, &count) != ROOT_OK)
        count = 0;
    for (size_t i = 0; i < count && !found; i++) {
        char path[SYSFS_PATH_SIZE], buffer[SYSFS_TEXT_SIZE];
        struct uevent uevent;
        if (!drm_node_name_is_valid(names[i]) || !drm_node_device_folder(root, names[i], path))
            continue;
        struct sysfs_folder device = {.root = root, .path = path};
        uevent_parse(sysfs_text(&device, "uevent", buffer, sizeof buffer, NULL), &uevent);
        found = uevent.compatible.bytes != NULL && is_display(uevent.compatible);
        if (found)
            drm_platform_id(path, id);
    }
    arena_free(&scratch);
    return found;
}

void tegra_use_display_id(const struct root *root, struct nvml_answer *answer)
{
    char id[ADAPTER_ID_SIZE];
    if (root == NULL || answer->adapters.count != 1)
        return;
    struct adapter_reading *adapter = &answer->adapters.items[0];
    if (!adapter->unified || strncmp(adapter->id, "uuid:", strlen("uuid:")) != 0 ||
        !find_display(root, id))
        return;
    memcpy(adapter->id, id, sizeof id);
    for (size_t i = 0; i < answer->listed.count; i++)
        memcpy(answer->listed.items[i].adapter_id, id, sizeof id);
    for (size_t i = 0; i < answer->samples.count; i++)
        memcpy(answer->samples.items[i].adapter_id, id, sizeof id);
}

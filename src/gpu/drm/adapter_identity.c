#include "gpu/drm/adapter_identity.h"

#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "gpu/drm/runtime_pm.h"
#include "gpu/drm/uevent.h"

/* Takes `digits` hexadecimal digits and the character behind them. */
static bool take_hex(const char **text, size_t least, size_t most, char end)
{
    size_t digits = strspn(*text, "0123456789abcdefABCDEF");
    if (digits < least || digits > most || (*text)[digits] != end) {
        return false;
    }
    *text += digits + (end != '\0');
    return true;
}

bool pci_address_is_valid(const char *text)
{
    return take_hex(&text, 4, 8, ':') && take_hex(&text, 2, 2, ':') && take_hex(&text, 2, 2, '.') &&
           take_hex(&text, 1, 1, '\0');
}

static void copy_raw(char *out, size_t size, struct raw_text raw)
{
    size_t length = raw.bytes == NULL ? 0 : raw.length;
    length = length < size ? length : size - 1;
    memcpy(out, length > 0 ? raw.bytes : "", length);
    out[length] = '\0';
}

static void make_lower(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text >= 'A' && *text <= 'Z') {
            *text = (char)(*text - 'A' + 'a');
        }
    }
}

static uint32_t read_hex_file(const struct root *root, const char *folder, const char *file)
{
    char path[SYSFS_PATH_SIZE];
    uint64_t value;
    if (!sysfs_path(path, folder, file) || root_read_hex(root, path, &value, NULL) != ROOT_OK ||
        value > UINT32_MAX) {
        return 0;
    }
    return (uint32_t)value;
}

/* `folder` is that of the PCI function. */
static void read_pci_ids(const struct root *root, const char *folder, struct drm_adapter *adapter)
{
    char buffer[SYSFS_TEXT_SIZE];
    struct sysfs_folder function = {.root = root, .path = folder};
    struct uevent read, *uevent = &read;
    uevent_parse(sysfs_text(&function, "uevent", buffer, sizeof buffer, NULL), uevent);
    adapter->pci_vendor = uevent->vendor;
    adapter->pci_device = uevent->device;
    if (!uevent->has_pci_id) {
        adapter->pci_vendor = read_hex_file(root, folder, "vendor");
        adapter->pci_device = read_hex_file(root, folder, "device");
    }
    adapter->pci_subsystem_vendor = uevent->subsystem_vendor;
    adapter->pci_subsystem_device = uevent->subsystem_device;
    if (!uevent->has_subsystem) {
        adapter->pci_subsystem_vendor = read_hex_file(root, folder, "subsystem_vendor");
        adapter->pci_subsystem_device = read_hex_file(root, folder, "subsystem_device");
    }
    adapter->pci_revision = read_hex_file(root, folder, "revision");
    adapter->has_pci_ids = adapter->pci_vendor != 0;
}

static void read_driver_name(const struct root *root, const struct uevent *uevent,
                             struct drm_adapter *adapter)
{
    char path[SYSFS_PATH_SIZE], target[SYSFS_PATH_SIZE];
    size_t length;
    copy_raw(adapter->driver_name, sizeof adapter->driver_name, uevent->driver);
    if (adapter->driver_name[0] == '\0' && sysfs_path(path, adapter->folder, "driver") &&
        root_read_link(root, path, target, sizeof target, &length) == ROOT_OK) {
        const char *slash = strrchr(target, '/');
        copy_raw(adapter->driver_name, sizeof adapter->driver_name,
                 raw_from_string(slash == NULL ? target : slash + 1));
    }
}

/* A virtio GPU without 3D is a screen: VIRTIO_GPU_F_VIRGL is feature 0, CONTEXT_INIT feature 4 of
 * the device's string of bits (virtio specification, "GPU device"). */
static bool is_flat_virtio(const struct sysfs_folder *device)
{
    char buffer[128];
    struct raw_text bits = sysfs_text(device, "features", buffer, sizeof buffer, NULL);
    return bits.bytes != NULL && bits.length > 4 && bits.bytes[0] == '0' && bits.bytes[4] == '0';
}

/* Tegra's own DRM driver: screens and video for all chips, 3D for those before Tegra124, whose GPUs
 * nouveau and nvgpu drive (drivers/gpu/drm/tegra/drm.c). */
static bool is_tegra_without_3d(const char *compatible)
{
    static const char start[] = "nvidia,tegra", end[] = "-host1x";
    if (strncmp(compatible, start, strlen(start)) != 0) {
        return false;
    }
    const char *chip = compatible + strlen(start);
    size_t digits = strspn(chip, "0123456789");
    return strcmp(chip + digits, end) == 0 && digits == 3 && strncmp(chip, "114", 3) > 0;
}

/* A virtio device sits on a PCI function, whose address it is known by. */
static bool pci_function_of(const char *folder, char out[SYSFS_PATH_SIZE])
{
    snprintf(out, SYSFS_PATH_SIZE, "%s", folder);
    char *slash = strrchr(out, '/');
    if (slash != NULL && strncmp(slash + 1, "virtio", 6) == 0) {
        *slash = '\0';
        slash = strrchr(out, '/');
    }
    return slash != NULL && pci_address_is_valid(slash + 1);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Only of a card that is awake. */
static void read_unique_id(const struct sysfs_folder *device, struct drm_adapter *adapter)
{
    char status[32];
    if (strcmp(adapter->driver_name, "amdgpu") == 0 &&
        runtime_power_state(sysfs_text(device, "power/runtime_status", status, sizeof status,
                                       NULL)) == POWER_ACTIVE) {
        char buffer[sizeof adapter->unique_id];
        copy_raw(adapter->unique_id, sizeof adapter->unique_id,
                 sysfs_text(device, "unique_id", buffer, sizeof buffer, NULL));
    }
}

void drm_platform_id(const char *folder, char out[ADAPTER_ID_SIZE])
{
    snprintf(out, ADAPTER_ID_SIZE, "platform:%.50s", last_part(folder));
    make_lower(out);
}

struct drm_adapter *drm_adapter_new(const struct root *root, const char *folder)
{
    struct drm_adapter *adapter = memory_new(sizeof *adapter);
    char buffer[SYSFS_TEXT_SIZE], function[SYSFS_PATH_SIZE];
    struct sysfs_folder device = {.root = root, .path = folder};
    struct uevent uevent;
    snprintf(adapter->folder, sizeof adapter->folder, "%s", folder);
    uevent_parse(sysfs_text(&device, "uevent", buffer, sizeof buffer, NULL), &uevent);
    read_driver_name(root, &uevent, adapter);
    adapter->driver = drm_driver_find(adapter->driver_name);
    if (adapter->driver->name[0] != '\0') {
        snprintf(adapter->driver_name, sizeof adapter->driver_name, "%s", adapter->driver->name);
    }
    copy_raw(adapter->compatible, sizeof adapter->compatible, uevent.compatible);
    if (pci_function_of(folder, function)) {
        snprintf(adapter->id, sizeof adapter->id, "pci:%.40s", last_part(function));
        make_lower(adapter->id);
        read_pci_ids(root, function, adapter);
    } else {
        drm_platform_id(folder, adapter->id);
    }
    adapter->display_only =
        is_tegra_without_3d(adapter->compatible) ||
        (strcmp(adapter->driver_name, "virtio_gpu") == 0 && is_flat_virtio(&device));
    adapter->power_state = POWER_UNKNOWN;
    read_unique_id(&device, adapter);
    return adapter;
}

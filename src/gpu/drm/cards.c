/* PCI cards whose drivers tell little: nouveau (NVIDIA), radeon (AMD up to 2013), and the virtual
 * ones virtio_gpu, vmwgfx and qxl. Sensors from hwmon; of their clients only who holds one.
 * Sources: nouveau_hwmon.c, radeon_pm.c. */
#include <string.h>

#include "gpu/drm/sensors.h"

enum { NOUVEAU_PWM_FULL = 100 };

static const struct drm_region_rule card_regions[] = {
    {"vram", DRM_POOL_VRAM},     {"gtt", DRM_POOL_SHARED}, {"gart", DRM_POOL_SHARED},
    {"memory", DRM_POOL_SHARED}, {NULL, DRM_POOL_OTHER},
};
static const struct drm_engine_rule card_engines[] = {
    {"gfx", ENGINE_gfx}, {"gpu", ENGINE_gfx}, {"copy", ENGINE_copy}, {NULL, ENGINE_other}};

/* A GPU inside a processor or chipset sits on the first bus; a card is behind a port. Other than by
 * its place these drivers do not tell. */
static void set_kind(const struct drm_look *look, struct drm_adapter *adapter)
{
    (void)look;
    if (!adapter->has_pci_ids) {
        return; /* Tegra: a device of the system, already known as integrated */
    }
    adapter->unified = strncmp(adapter->id, "pci:0000:00:", strlen("pci:0000:00:")) == 0;
    adapter->kind = adapter->unified ? ADAPTER_INTEGRATED : ADAPTER_DISCRETE;
    adapter->kind_is_inferred = true;
}

static void discover_radeon(const struct drm_look *look, struct drm_adapter *adapter)
{
    set_kind(look, adapter);
    drm_sensors_discover(look, adapter);
}

static void discover_nouveau(const struct drm_look *look, struct drm_adapter *adapter)
{
    set_kind(look, adapter);
    drm_sensors_discover(look, adapter);
    adapter->hwmon.pwm_full = NOUVEAU_PWM_FULL; /* its pwm1 is a percentage */
}

const struct drm_driver drm_driver_nouveau = {
    .name = "nouveau",
    .vendor = "nvidia",
    .regions = card_regions,
    .engines = card_engines,
    .statistics = DRM_STATISTICS_PERHAPS,
    .discover = discover_nouveau,
    .discover_asleep = set_kind,
    .read_sensors = drm_sensors_read,
};

const struct drm_driver drm_driver_radeon = {
    .name = "radeon",
    .vendor = "amd",
    .regions = card_regions,
    .engines = card_engines,
    .statistics = DRM_STATISTICS_PERHAPS,
    .discover = discover_radeon,
    .discover_asleep = set_kind,
    .read_sensors = drm_sensors_read,
};

/* What a virtual GPU's memory is, only the host knows. */
#define VIRTUAL_DRIVER(symbol, made_by)                                                            \
    const struct drm_driver drm_driver_##symbol = {                                                \
        .name = #symbol,                                                                           \
        .vendor = made_by,                                                                         \
        .regions = card_regions,                                                                   \
        .engines = card_engines,                                                                   \
        .statistics = DRM_STATISTICS_PERHAPS,                                                      \
    }

VIRTUAL_DRIVER(virtio_gpu, "virtio");
VIRTUAL_DRIVER(vmwgfx, "vmware");
VIRTUAL_DRIVER(qxl, "redhat");

#include "gpu/drm/amdgpu_kind.h"

#include "base/lines.h"

enum adapter_kind amdgpu_kind(const struct amdgpu_signs *signs)
{
    struct raw_text vendor = raw_trim(signs->vram_vendor);
    if (signs->is_mi300a || (signs->sensors_known && signs->has_northbridge_voltage)) {
        return ADAPTER_INTEGRATED;
    }
    /* Kernels before 6.9 show "unknown", also on APUs; since then the file is missing there. */
    if (vendor.bytes != NULL && vendor.length > 0 && !raw_equal_string(vendor, "unknown")) {
        return ADAPTER_DISCRETE;
    }
    if (!signs->has_vram_files) {
        return ADAPTER_INTEGRATED;
    }
    if (!signs->sensors_known || signs->is_accelerator) {
        return ADAPTER_DISCRETE; /* only those are put to sleep */
    }
    /* Every APU has the northbridge's voltage, so a card that says "unknown" without it is none,
     * unless it has no sensors to look at. */
    return (vendor.length > 0 && !signs->lacks_sensors) || signs->has_memory_activity ||
                   signs->has_power_limit || signs->has_fan
               ? ADAPTER_DISCRETE
               : ADAPTER_INTEGRATED;
}

bool amdgpu_device_has_unified_video(uint32_t pci_device)
{
    static const struct {
        uint16_t first, last;
    } ranges[] = {
        {0x7440, 0x749f},                   /* Navi 31, 32, 33 */
        {0x7550, 0x759f},                   /* Navi 48, 44 */
        {0x74a0, 0x74bf},                   /* MI300 */
        {0x15bf, 0x15bf}, {0x15c8, 0x15c8}, /* Phoenix */
        {0x1900, 0x1901},                   /* Hawk Point */
        {0x150e, 0x150e},                   /* Strix Point */
        {0x1586, 0x1586},                   /* Strix Halo */
        {0x1114, 0x1114},                   /* Krackan Point */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (pci_device >= ranges[i].first && pci_device <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* What the files of an amdgpu device tell about its kind. Pure. */
#ifndef GPU_DRM_AMDGPU_KIND_H
#define GPU_DRM_AMDGPU_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/adapter.h"

struct amdgpu_signs {
    struct raw_text vram_vendor;  /* mem_info_vram_vendor; bytes NULL: no such file */
    bool has_vram_files;          /* mem_info_vram_total: hidden where VRAM is system memory */
    bool has_memory_activity;     /* mem_busy_percent: not on APUs */
    bool sensors_known;           /* false: asleep, the next four were not looked at */
    bool lacks_sensors;           /* no hwmon folder at all */
    bool has_northbridge_voltage; /* hwmon label vddnb: only APUs */
    bool has_power_limit, has_fan;
    /* An accelerator (PCI class 12), which in a guest shows no sensors; and the one among them that
     * is an APU. */
    bool is_accelerator, is_mi300a;
};

enum { AMDGPU_MI300A = 0x74a0, PCI_CLASS_ACCELERATOR = 0x12 };

/* Discrete or integrated, always a deduction. */
enum adapter_kind amdgpu_kind(const struct amdgpu_signs *signs);

/* True for devices whose video engine is known to be VCN 4 or later, where ip_discovery cannot be
 * read: GC 11 and later, and MI300. */
bool amdgpu_device_has_unified_video(uint32_t pci_device);

#endif

/* The ABI of librocdxg (ROCm in WSL) as we use it: our own declarations of its structs and codes.
 * Source: its public header rocdxg_smi.h, with and without struct_size, and hsakmttypes.h. */
#ifndef GPU_ROCDXG_ABI_H
#define GPU_ROCDXG_ABI_H

#include <stddef.h>
#include <stdint.h>

enum rocdxg_code {
    ROCDXG_OK = 0,
    ROCDXG_ERROR = 1,
    ROCDXG_INVALID_PARAMETER = 3,
    ROCDXG_INVALID_NODE = 5,
    ROCDXG_BUFFER_TOO_SMALL = 7,
    ROCDXG_NOT_IMPLEMENTED = 10,
    ROCDXG_NOT_SUPPORTED = 11,
    ROCDXG_UNAVAILABLE = 12,
    ROCDXG_NOT_OPENED = 20,
    ROCDXG_NO_COMMUNICATION = 21,
    ROCDXG_ALREADY_OPENED = 22,
    ROCDXG_NO_FUNCTION = -1, /* ours: the library lacks it */
};

/* A sensor that the card lacks. */
#define ROCDXG_NO_SENSOR UINT32_MAX
#define ROCDXG_AMD 0x1002

enum {
    ROCDXG_TEXT_SIZE = 256,
    ROCDXG_CLOCK_GRAPHICS = 0,
    ROCDXG_CLOCK_MEMORY = 4,
    /* struct _HsaSystemProperties has four numbers; room for what may follow. */
    ROCDXG_PROPERTIES_SIZE = 64,
};

struct rocdxg_vram_usage {
    uint64_t used_mb, total_mb; /* MiB */
};
_Static_assert(sizeof(struct rocdxg_vram_usage) == 16, "rocdxg_smi_vram_usage_t");

struct rocdxg_metrics {
    uint32_t edge_celsius, hotspot_celsius, memory_celsius;
    uint32_t graphics_percent, memory_percent;
    uint32_t power_watts;
    uint32_t graphics_mhz, soc_mhz;
    uint32_t fan_rpm, fan_percent;
    uint32_t soc_millivolts, graphics_millivolts, memory_millivolts;
};
_Static_assert(sizeof(struct rocdxg_metrics) == 52, "rocdxg_smi_gpu_metrics_info_t");

struct rocdxg_power {
    uint32_t watts, graphics_millivolts, soc_millivolts, memory_millivolts, limit_watts;
};
_Static_assert(sizeof(struct rocdxg_power) == 20, "rocdxg_smi_power_info_t");

struct rocdxg_clock {
    uint32_t mhz, least_mhz, most_mhz;
    uint8_t locked, deep_sleep;
};
_Static_assert(sizeof(struct rocdxg_clock) == 16, "rocdxg_smi_clock_info_t");

struct rocdxg_pcie {
    uint16_t most_lanes;
    uint32_t most_speed, generation, slot;
    uint16_t lanes;
    uint32_t speed, bandwidth;
    uint64_t counters[5];
};
_Static_assert(sizeof(struct rocdxg_pcie) == 72, "rocdxg_smi_pcie_info_t");

/* As the newer library has it. The older one lacks struct_size: its address begins at 0 and all
 * that follows eight bytes earlier (rocdxg_device_info_align()). */
struct rocdxg_device_info {
    uint32_t struct_size;
    uint32_t domain, bus, device, function;
    uint64_t device_id;
    uint32_t vendor_id, subvendor_id, subsystem_id, revision;
    uint64_t serial;
    char market_name[ROCDXG_TEXT_SIZE];
    uint32_t compute_units, xcc_count;
    uint64_t graphics_version;
    char product_name[ROCDXG_TEXT_SIZE], manufacturer_name[ROCDXG_TEXT_SIZE];
    uint32_t vram_type, vram_bits;
    uint64_t vram_mb;
    char driver_version[ROCDXG_TEXT_SIZE], driver_date[ROCDXG_TEXT_SIZE];
    char driver_name[ROCDXG_TEXT_SIZE];
    unsigned char rest[2008];
};
_Static_assert(sizeof(struct rocdxg_device_info) == 3632, "rocdxg_smi_device_info_t");
_Static_assert(offsetof(struct rocdxg_device_info, device_id) == 24, "rocdxg_smi_device_info_t");
_Static_assert(offsetof(struct rocdxg_device_info, market_name) == 56, "rocdxg_smi_device_info_t");
_Static_assert(offsetof(struct rocdxg_device_info, vram_type) == 840, "rocdxg_smi_device_info_t");
_Static_assert(offsetof(struct rocdxg_device_info, driver_version) == 856,
               "rocdxg_smi_device_info_t");

#endif

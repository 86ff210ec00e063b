/* The ABI of AMD's ADL (atiadlxx.dll) as we use it: our own declarations of its structs, codes and
 * sensor numbers. Layouts are the same on x64 and ARM64.
 * Source: reference windows.md section 3 (the public headers of AMD's display-library). */
#ifndef GPU_ADL_ABI_H
#define GPU_ADL_ABI_H

#include <stddef.h>
#include <stdint.h>

enum adl_code {
    ADL_OK = 0, /* 1 to 4 are successes that ask for something, as a restart */
    ADL_ERROR = -1,
    ADL_NOT_INITIALISED = -2,
    ADL_INVALID_PARAMETER = -3,
    ADL_INVALID_INDEX = -5,
    ADL_NOT_SUPPORTED = -8,
    ADL_DISABLED_ADAPTER = -10,
    ADL_NO_FUNCTION = -1000, /* ours: the library lacks it */
};

enum {
    ADL_TEXT_SIZE = 256,
    ADL_SENSORS = 256,
    ADL_VENDOR_AS_WORDS = 1002, /* AMD's vendor id as ADL writes it: hexadecimal digits, decimal */
    ADL_VENDOR = 0x1002,
    ADL_FAMILY_INTEGRATED = 1 << 1,
    ADL_FAMILY_FUSION = 1 << 5, /* an APU */
};

struct adl_adapter_info {
    int32_t size, index;
    char udid[ADL_TEXT_SIZE];
    int32_t bus, device, function, vendor;
    char name[ADL_TEXT_SIZE], display_name[ADL_TEXT_SIZE];
    int32_t present, exists;
    char driver_path[ADL_TEXT_SIZE], driver_path_extended[ADL_TEXT_SIZE];
    char pnp[ADL_TEXT_SIZE]; /* "PCI\VEN_1002&DEV_744C&SUBSYS_0E3B1002&REV_C8\..." */
    int32_t display_index;
};
_Static_assert(sizeof(struct adl_adapter_info) == 1572, "AdapterInfo");
_Static_assert(offsetof(struct adl_adapter_info, bus) == 264, "AdapterInfo");
_Static_assert(offsetof(struct adl_adapter_info, name) == 280, "AdapterInfo");
_Static_assert(offsetof(struct adl_adapter_info, display_name) == 536, "AdapterInfo");
_Static_assert(offsetof(struct adl_adapter_info, present) == 792, "AdapterInfo");
_Static_assert(offsetof(struct adl_adapter_info, driver_path) == 800, "AdapterInfo");
_Static_assert(offsetof(struct adl_adapter_info, pnp) == 1312, "AdapterInfo");
_Static_assert(offsetof(struct adl_adapter_info, display_index) == 1568, "AdapterInfo");

struct adl_sensor {
    int32_t supported, value;
};

struct adl_log {
    int32_t size;
    struct adl_sensor sensors[ADL_SENSORS];
};
_Static_assert(sizeof(struct adl_log) == 2052, "ADLPMLogDataOutput");

struct adl_memory {
    int64_t bytes;
    unsigned char rest[312];
};
_Static_assert(sizeof(struct adl_memory) == 320, "ADLMemoryInfoX4");

/* Places in adl_log.sensors. */
enum adl_sensor_number {
    ADL_CLOCK_GRAPHICS = 1, /* MHz */
    ADL_CLOCK_MEMORY = 2,
    ADL_CLOCK_UVD = 4,
    ADL_CLOCK_VCN = 7,
    ADL_TEMPERATURE_EDGE = 8, /* degrees Celsius */
    ADL_TEMPERATURE_MEMORY = 9,
    ADL_FAN_RPM = 14,
    ADL_FAN_PERCENT = 15,
    ADL_ACTIVITY_GRAPHICS = 19, /* % */
    ADL_ACTIVITY_MEMORY = 20,
    ADL_POWER_ASIC = 23, /* W; of an APU with its CPU */
    ADL_TEMPERATURE_HOTSPOT = 27,
    ADL_TEMPERATURE_GRAPHICS = 28,
    ADL_POWER_GRAPHICS = 30,
    ADL_BUS_LANES = 41,
    ADL_POWER_BOARD = 73,
};

#endif

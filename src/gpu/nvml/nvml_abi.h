/* The public ABI of NVML as we use it: our own declarations of its structs, codes and constants.
 * Identical on x86-64 and aarch64; sizes and offsets are checked here. Source: the history of the
 * public nvml.h, 11.0 to 13.3. */
#ifndef GPU_NVML_ABI_H
#define GPU_NVML_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Return codes that mean something of their own to us. */
enum nvml_code {
    NVML_OK = 0,
    NVML_UNINITIALIZED = 1,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_DRIVER_NOT_LOADED = 9,
    NVML_TIMEOUT = 10,
    NVML_LIBRARY_NOT_FOUND = 12,
    NVML_FUNCTION_NOT_FOUND = 13,
    NVML_GPU_IS_LOST = 15,
    NVML_RESET_REQUIRED = 16,
    NVML_VERSION_MISMATCH = 18,
    NVML_ARGUMENT_VERSION_MISMATCH = 25,
    NVML_DEPRECATED = 26,
    NVML_UNKNOWN = 999
};

#define NVML_VALUE_NOT_AVAILABLE UINT64_MAX /* usedGpuMemory */
#define NVML_NO_INSTANCE UINT32_MAX         /* gpuInstanceId and computeInstanceId without MIG */

enum { NVML_TEXT_SIZE = 96, NVML_VERSION_TEXT_SIZE = 80 };

/* The version word of a versioned struct. */
#define NVML_STRUCT_VERSION(type, version) ((uint32_t)(sizeof(type) | ((uint32_t)(version) << 24)))

struct nvml_pci_info {
    char bus_id_legacy[16];
    uint32_t domain, bus, device;
    uint32_t device_id;    /* device << 16 | vendor */
    uint32_t subsystem_id; /* the same; only some symbols fill it */
    char bus_id[32];
};
_Static_assert(sizeof(struct nvml_pci_info) == 68, "nvmlPciInfo_t");
_Static_assert(offsetof(struct nvml_pci_info, device_id) == 28, "nvmlPciInfo_t");

struct nvml_utilization {
    uint32_t gpu_percent;
    uint32_t memory_percent; /* share of time the memory was busy, not fullness */
};
_Static_assert(sizeof(struct nvml_utilization) == 8, "nvmlUtilization_t");

struct nvml_memory {
    uint64_t total, free, used; /* used = reserved + allocated */
};
_Static_assert(sizeof(struct nvml_memory) == 24, "nvmlMemory_t");

struct nvml_memory_v2 {
    uint32_t version;
    uint64_t total, reserved, free, used; /* used = allocated only */
};
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(offsetof(struct nvml_memory_v2, used) == 32, "nvmlMemory_v2_t");
_Static_assert(NVML_STRUCT_VERSION(struct nvml_memory_v2, 2) == 0x02000028, "version word");

struct nvml_process_info_v1 {
    uint32_t pid;
    uint64_t used_bytes;
};
_Static_assert(sizeof(struct nvml_process_info_v1) == 16, "nvmlProcessInfo_v1_t");

struct nvml_process_info_v2 {
    uint32_t pid;
    uint64_t used_bytes;
    uint32_t gpu_instance, compute_instance;
};
_Static_assert(sizeof(struct nvml_process_info_v2) == 24, "nvmlProcessInfo_v2_t");
_Static_assert(offsetof(struct nvml_process_info_v2, compute_instance) == 20,
               "nvmlProcessInfo_v2_t");

/* The largest element that any list call has ever written (_v3 of drivers 535.43 to 535.86). */
enum { NVML_PROCESS_INFO_LARGEST = 32 };

struct nvml_process_sample_v1 {
    uint32_t pid;
    uint64_t stamp_us;
    uint32_t sm, memory, encode, decode;
};
_Static_assert(sizeof(struct nvml_process_sample_v1) == 32, "nvmlProcessUtilizationSample_t");
_Static_assert(offsetof(struct nvml_process_sample_v1, sm) == 16, "nvmlProcessUtilizationSample_t");

struct nvml_process_utilization {
    uint64_t stamp_us; /* order against the older struct is swapped */
    uint32_t pid, sm, memory, encode, decode, jpeg, ofa;
};
_Static_assert(sizeof(struct nvml_process_utilization) == 40, "nvmlProcessUtilizationInfo_v1_t");
_Static_assert(offsetof(struct nvml_process_utilization, ofa) == 32,
               "nvmlProcessUtilizationInfo_v1_t");

struct nvml_processes_utilization {
    uint32_t version, count;
    uint64_t last_seen_us;
    struct nvml_process_utilization *samples;
};
_Static_assert(sizeof(struct nvml_processes_utilization) == 16 + sizeof(void *),
               "nvmlProcessesUtilizationInfo_v1_t");

struct nvml_field_value {
    uint32_t field, scope;
    int64_t stamp_us, latency_us;
    uint32_t value_type;
    int32_t status;
    union {
        double real;
        uint32_t u32;
        uint64_t u64;
        int64_t i64;
        int32_t i32;
        uint16_t u16;
    } value;
};
_Static_assert(sizeof(struct nvml_field_value) == 40, "nvmlFieldValue_t");

enum nvml_value_type {
    NVML_VALUE_DOUBLE,
    NVML_VALUE_UINT,
    NVML_VALUE_ULONG, /* 8 bytes where we run */
    NVML_VALUE_ULONGLONG,
    NVML_VALUE_SLONGLONG,
    NVML_VALUE_INT,
    NVML_VALUE_USHORT
};

enum nvml_field {
    NVML_FIELD_MEMORY_TEMPERATURE = 82,
    NVML_FIELD_TOTAL_ENERGY = 83,   /* mJ */
    NVML_FIELD_PCIE_TX_BYTES = 197, /* wrapping counters, R570 and later */
    NVML_FIELD_PCIE_RX_BYTES = 198
};

struct nvml_temperature_v1 {
    uint32_t version, sensor;
    int32_t celsius;
};
_Static_assert(NVML_STRUCT_VERSION(struct nvml_temperature_v1, 1) == 0x0100000C, "version word");

struct nvml_addressing_mode_v1 {
    uint32_t version;
    uint32_t mode;
};
_Static_assert(NVML_STRUCT_VERSION(struct nvml_addressing_mode_v1, 1) == 0x01000008,
               "version word");
enum { NVML_ADDRESSING_NONE, NVML_ADDRESSING_HMM, NVML_ADDRESSING_ATS };

#define NVML_EVENT_XID UINT64_C(8) /* nvmlEventTypeXidCriticalError */

struct nvml_event_data {
    void *device;
    uint64_t type, data; /* data: the Xid */
    uint32_t gpu_instance, compute_instance;
};
_Static_assert(sizeof(struct nvml_event_data) == 24 + sizeof(void *), "nvmlEventData_t");

enum nvml_clock { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEMORY, NVML_CLOCK_VIDEO };
enum { NVML_PCIE_TX, NVML_PCIE_RX };
enum { NVML_ECC_CORRECTED, NVML_ECC_UNCORRECTED };
enum { NVML_ECC_VOLATILE, NVML_ECC_AGGREGATE };
enum { NVML_VIRTUALIZATION_VGPU_GUEST = 2, NVML_VIRTUALIZATION_VGPU_HOST = 3 };
enum { NVML_MODEL_WDDM, NVML_MODEL_TCC, NVML_MODEL_MCDM }; /* Windows and WSL only */
enum { NVML_PERFORMANCE_STATE_LAST = 15 };

/* /dev/nvidia0 and its like are character devices of this major number. */
enum { NVIDIA_DEVICE_MAJOR = 195 };

#endif

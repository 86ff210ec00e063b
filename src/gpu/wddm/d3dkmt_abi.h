/* The ABI of the D3DKMT functions (gdi32.dll) as we use it: our own declarations of their structs,
 * the same on x64 and ARM64. Source: reference windows.md section 2 (d3dkmthk.h). */
#ifndef GPU_WDDM_D3DKMT_ABI_H
#define GPU_WDDM_D3DKMT_ABI_H

#include <stddef.h>
#include <stdint.h>

/* NTSTATUS; negative ones are errors. */
#define D3DKMT_OK 0
#define D3DKMT_BUFFER_TOO_SMALL ((int32_t)0xC0000023)
#define D3DKMT_NO_FUNCTION ((int32_t)0xC0000139) /* STATUS_ENTRYPOINT_NOT_FOUND */

/* KMTQUERYADAPTERINFOTYPE. Those of a render-only half of an adapter answer where the others do
 * not. */
enum d3dkmt_type {
    D3DKMT_SEGMENT_SIZE = 3,
    D3DKMT_ADAPTER_ADDRESS = 6,
    D3DKMT_REGISTRY_INFO = 8,
    D3DKMT_DRIVER_VERSION = 13, /* u32: 3100 is WDDM 3.1 */
    D3DKMT_ADAPTER_TYPE = 15,   /* u32: enum adapter_type_bit */
    D3DKMT_NODE_METADATA = 25,
    D3DKMT_PHYSICAL_COUNT = 30, /* u32 */
    D3DKMT_DEVICE_IDS = 31,
    D3DKMT_SEGMENT_GROUP_SIZE = 42,
    D3DKMT_KMD_VERSION = 49, /* u64: four numbers of 16 bits, the first one highest */
    D3DKMT_ADAPTER_ADDRESS_RENDER = 53,
    D3DKMT_REGISTRY_INFO_RENDER = 54,
    D3DKMT_ADAPTER_TYPE_RENDER = 57,
    D3DKMT_NODE_PERFDATA = 61,
    D3DKMT_ADAPTER_PERFDATA = 62,
    D3DKMT_DRIVER_DESCRIPTION = 65, /* 4096 units of UTF-16 */
};

enum {
    D3DKMT_COMPUTE_ONLY_TOO = 1, /* of d3dkmt_enum3.filter */
    D3DKMT_DISPLAY_ONLY_TOO = 2,
    D3DKMT_ENGINE_3D = 1, /* of d3dkmt_node_metadata.engine_type */
    D3DKMT_DESCRIPTION_UNITS = 4096,
};

struct d3dkmt_luid {
    uint32_t low;
    int32_t high;
};

struct d3dkmt_adapter {
    uint32_t handle;
    struct d3dkmt_luid luid;
    uint32_t sources;
    int32_t presents;
};
_Static_assert(sizeof(struct d3dkmt_adapter) == 20, "D3DKMT_ADAPTERINFO");

struct d3dkmt_enum2 {
    uint32_t count;
    struct d3dkmt_adapter *adapters;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct d3dkmt_enum2) == 16, "D3DKMT_ENUMADAPTERS2");

struct d3dkmt_enum3 {
    uint64_t filter;
    uint32_t count;
    struct d3dkmt_adapter *adapters;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct d3dkmt_enum3) == 24, "D3DKMT_ENUMADAPTERS3");

struct d3dkmt_query {
    uint32_t handle;
    uint32_t type; /* enum d3dkmt_type */
    void *data;
    uint32_t size;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct d3dkmt_query) == 24, "D3DKMT_QUERYADAPTERINFO");

struct d3dkmt_open {
    struct d3dkmt_luid luid;
    uint32_t handle;
};
_Static_assert(sizeof(struct d3dkmt_open) == 12, "D3DKMT_OPENADAPTERFROMLUID");

struct d3dkmt_close {
    uint32_t handle;
};

struct d3dkmt_segment_size {
    uint64_t dedicated_video, dedicated_system, shared_system;
};
_Static_assert(sizeof(struct d3dkmt_segment_size) == 24, "D3DKMT_SEGMENTSIZEINFO");

struct d3dkmt_segment_group_size {
    uint32_t physical;
    struct d3dkmt_segment_size legacy;
    uint64_t local, non_local, non_budget;
};
_Static_assert(sizeof(struct d3dkmt_segment_group_size) == 56, "D3DKMT_SEGMENTGROUPSIZEINFO");
_Static_assert(offsetof(struct d3dkmt_segment_group_size, local) == 32,
               "D3DKMT_SEGMENTGROUPSIZEINFO");

struct d3dkmt_registry_info {
    uint16_t adapter[260], bios[260], dac[260], chip[260];
};
_Static_assert(sizeof(struct d3dkmt_registry_info) == 2080, "D3DKMT_ADAPTERREGISTRYINFO");

struct d3dkmt_address {
    uint32_t bus, device, function;
};
_Static_assert(sizeof(struct d3dkmt_address) == 12, "D3DKMT_ADAPTERADDRESS");

struct d3dkmt_device_ids {
    uint32_t physical;
    uint32_t vendor, device, subsystem_vendor, subsystem, revision, bus_type;
};
_Static_assert(sizeof(struct d3dkmt_device_ids) == 28, "D3DKMT_QUERY_DEVICE_IDS");

struct d3dkmt_perfdata {
    uint32_t physical;
    uint64_t memory_hz, memory_most_hz, memory_most_overclocked_hz;
    uint64_t memory_bandwidth, pcie_bandwidth; /* totals over an interval of the driver's choice */
    uint32_t fan_rpm, power_permille, temperature_decicelsius;
    uint8_t power_state_override;
};
_Static_assert(sizeof(struct d3dkmt_perfdata) == 64, "D3DKMT_ADAPTER_PERFDATA");
_Static_assert(offsetof(struct d3dkmt_perfdata, fan_rpm) == 48, "D3DKMT_ADAPTER_PERFDATA");
_Static_assert(offsetof(struct d3dkmt_perfdata, temperature_decicelsius) == 56,
               "D3DKMT_ADAPTER_PERFDATA");

struct d3dkmt_node_perfdata {
    uint32_t node, physical;
    uint64_t hz, most_hz, most_overclocked_hz;
    uint32_t millivolts, most_millivolts, most_overclocked_millivolts;
    uint64_t transition_latency;
};
_Static_assert(sizeof(struct d3dkmt_node_perfdata) == 56, "D3DKMT_NODE_PERFDATA");
_Static_assert(offsetof(struct d3dkmt_node_perfdata, transition_latency) == 48,
               "D3DKMT_NODE_PERFDATA");

struct d3dkmt_node_metadata {
    uint32_t node_and_physical; /* node | physical << 16 */
    uint32_t engine_type;
    uint16_t name[32];
    uint32_t flags;
    uint8_t gpu_mmu, io_mmu;
} __attribute__((packed));
_Static_assert(sizeof(struct d3dkmt_node_metadata) == 78, "D3DKMT_NODEMETADATA");

#endif

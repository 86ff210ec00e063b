/* What Windows' kernel says about one adapter (D3DKMT), before anything is concluded. */
#ifndef READING_WDDM_FACTS_H
#define READING_WDDM_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/measured.h"

/* Bits of D3DKMT_ADAPTERTYPE. */
enum adapter_type_bit {
    ADAPTER_TYPE_RENDER = 1 << 0,
    ADAPTER_TYPE_DISPLAY = 1 << 1,
    ADAPTER_TYPE_SOFTWARE = 1 << 2,
    ADAPTER_TYPE_POST = 1 << 3,
    ADAPTER_TYPE_HYBRID_DISCRETE = 1 << 4,
    ADAPTER_TYPE_HYBRID_INTEGRATED = 1 << 5,
    ADAPTER_TYPE_INDIRECT_DISPLAY = 1 << 6,
    ADAPTER_TYPE_PARAVIRTUALIZED = 1 << 7,
    ADAPTER_TYPE_ACG = 1 << 8,
    ADAPTER_TYPE_SETS_TIMINGS = 1 << 9,
    ADAPTER_TYPE_DETACHABLE = 1 << 10,
    ADAPTER_TYPE_COMPUTE_ONLY = 1 << 11,
    ADAPTER_TYPE_PROTOTYPE = 1 << 12,
    ADAPTER_TYPE_RUNTIME_PM = 1 << 13,
};

/* D3DKMT_ADAPTER_PERFDATA: integers as the driver gave them. */
struct adapter_perf {
    uint64_t memory_hz, memory_most_hz; /* 0: not told */
    uint32_t fan_rpm;
    uint32_t power_permille;          /* of its limit; watts are not told */
    uint32_t temperature_decicelsius; /* 0.1 degrees */
};

struct adapter_facts {
    uint64_t luid; /* high part << 32 | low part */
    /* AdapterString of ADAPTERREGISTRYINFO, or the driver's description; bytes NULL: unknown. */
    struct raw_text name;
    struct raw_text driver_version; /* "32.0.15.6614" (KMD_DRIVER_VERSION); bytes NULL: unknown */
    struct measured type_bits;      /* enum adapter_type_bit */
    struct measured wddm_version;   /* DRIVERVERSION: 3100 is WDDM 3.1 */

    /* GETSEGMENTSIZE. */
    struct measured dedicated_video_bytes, dedicated_system_bytes, shared_system_bytes;
    /* GETSEGMENTGROUPSIZE, added up over the physical adapters: all segments are local on unified
     * memory. */
    struct measured local_bytes, non_local_bytes;

    /* ADAPTERADDRESS. */
    bool has_address; /* false: not told, or bus 0xFFFFFFFF (none) */
    uint32_t bus, device, function;
    /* PHYSICALADAPTERDEVICEIDS of physical adapter 0. */
    bool has_ids;
    uint32_t vendor_id, device_id, subsystem_vendor_id, subsystem_id, revision;
    uint32_t physical_count; /* linked adapters; 0: unknown */
};

struct adapter_facts_list {
    const struct adapter_facts *items;
    size_t count;
};

#endif

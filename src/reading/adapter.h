/* What a driver said about one adapter in one pass. Values are exact integers in the unit the name
 * says; a figure the driver lacks stays unknown with its reason. */
#ifndef READING_ADAPTER_H
#define READING_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/engines.h"
#include "reading/measured.h"
#include "reading/pass.h"

enum adapter_kind {
    ADAPTER_UNKNOWN,
    ADAPTER_DISCRETE,
    ADAPTER_INTEGRATED,
    ADAPTER_PARTITION,
    ADAPTER_MIG,
    ADAPTER_NPU,
    ADAPTER_KIND_COUNT
};

enum power_state { POWER_UNKNOWN, POWER_ACTIVE, POWER_SUSPENDED, POWER_LOST, POWER_STATE_COUNT };

enum clock_domain { CLOCK_GRAPHICS, CLOCK_MEMORY, CLOCK_SM, CLOCK_VIDEO, CLOCK_COUNT };
enum temperature_sensor {
    TEMPERATURE_EDGE,
    TEMPERATURE_HOTSPOT,
    TEMPERATURE_MEMORY,
    TEMPERATURE_COUNT
};

enum { ADAPTER_NODES_MAX = 72, THROTTLE_REASONS_MAX = 24 };

struct adapter_reading {
    /* "pci:0000:03:00.0", "platform:fb000000.gpu", "uuid:MIG-..." (MIG), "luid:...", "ioreg:...".
     * Readings of several backends with one id are one adapter. PCI domain at least 4 digits, all
     * lower case. */
    char id[ADAPTER_ID_SIZE];
    char parent_id[ADAPTER_ID_SIZE]; /* "" unless a partition or MIG instance */
    const char *source;              /* name of the backend: "drm", "nvml" */
    /* Name of the backend that brings everything but identity ("nvml"), or NULL: this one does. */
    const char *figures_from;
    /* This backend is the driver's own word: its figures replace those of others, and what its
     * process lists do not name holds nothing here. */
    bool lists_processes;
    int32_t driver_index; /* the driver's own order; breaks ties among adapters without address */

    struct raw_text name, uuid, vendor, driver, driver_version;
    uint32_t pci_vendor, pci_device, pci_subsystem_vendor, pci_subsystem_device, pci_revision;
    bool has_pci_ids;
    bool pci_revision_unknown; /* has_pci_ids, but whoever told them knows no revision (NVML) */
    struct raw_text nodes[ADAPTER_NODES_MAX]; /* "/dev/dri/renderD128" */
    size_t node_count;
    uint64_t device_numbers[ADAPTER_NODES_MAX]; /* of nodes[i], major << 32 | minor; 0 unknown */

    enum adapter_kind kind;
    bool kind_is_inferred;
    enum power_state power_state;
    enum reason figures_why_not; /* the common reason where the whole adapter cannot be read */

    struct measured vram_total_bytes, vram_used_bytes, vram_free_bytes, vram_reserved_bytes;
    struct measured shared_total_bytes, shared_used_bytes;
    struct measured vram_limit_bytes; /* of one pool: the most that the GPU may keep resident */
    bool unified;                     /* one memory with the CPU */
    bool unified_one_pool; /* and the system counts it as one pool (vram_*), shared_* being null */
    /* What processes hold and what the adapter counts as used are different things (macOS: memory
     * that is charged to other categories): no difference is formed. */
    bool used_counts_differently;
    bool video_is_unified; /* decode and encode share one ring (VCN 4 and later) */

    struct said load_millipercent, memory_activity_millipercent;
    /* The driver's own figure where load_millipercent is the system's (Windows). */
    struct said driver_load_millipercent;
    struct said engine_millipercent[ENGINE_COUNT];
    struct said pcie_rx_bytes_per_second, pcie_tx_bytes_per_second;
    struct said pcie_generation, pcie_width, pcie_max_generation, pcie_max_width;
    struct said temperature_millicelsius[TEMPERATURE_COUNT];
    struct said power_microwatts, power_limit_microwatts, energy_microjoules;
    struct said fan_millipercent, fan_rpm;
    struct said clock_hz[CLOCK_COUNT], max_clock_hz[CLOCK_COUNT];
    struct said performance_state;
    /* Throttle reasons: known (and perhaps empty) when throttle_how is not HOW_UNAVAILABLE. */
    enum how throttle_how;
    enum reason throttle_why_not;
    struct raw_text
        throttle_reasons[THROTTLE_REASONS_MAX]; /* "power", "thermal_gpu" ... lower case */
    size_t throttle_count;
    struct said ecc_corrected, ecc_uncorrected, xid_last, xid_count;
    struct said restarts; /* of the GPU, since boot (macOS: recoveryCount) */

    /* Process lists of this adapter that could not be read: unknown, not empty. */
    bool compute_list_unknown, graphics_list_unknown;
    enum reason compute_list_why_not, graphics_list_why_not;
    /* Per-process loads of this adapter: refused, with the reason, or answered. */
    bool process_load_answered;
    enum reason process_load_why_not;
};

#endif

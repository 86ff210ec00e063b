/* What macOS says about its GPUs, as plain data: the boundary between the doors (IOKit, IOReport,
 * SMC, HID, the ledger call; or a recorded machine) and the portable rules. A door fills these in
 * as the system said them and decides nothing. All texts are raw bytes in the arena of the call;
 * a figure that is absent or of the wrong type is unknown (not_reported), never 0.
 *
 * Sources: the IOKit registry (IOAccelerator and its user clients), ledger(2) (xnu
 * bsd/kern/sys_generic.c, osfmk/kern/ledger.h), libIOReport, AppleSMC, IOHIDEventSystemClient. */
#ifndef GPU_METAL_METAL_SAMPLE_H
#define GPU_METAL_METAL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/measured.h"

enum metal_status {
    METAL_OK,
    METAL_DENIED,     /* EPERM: a sandbox, or another user's process */
    METAL_GONE,       /* ESRCH: it ended meanwhile */
    METAL_FAILED,     /* anything else */
    METAL_UNSUPPORTED /* this system has no such call */
};

enum {
    METAL_ACCELERATORS_MAX = 8,
    METAL_CLIENTS_MAX = 16384, /* all accelerators together; more: clients_status failed */
    METAL_USAGE_MAX = 64,      /* AppUsage entries of one client */
    METAL_LEDGER_ENTRIES_MAX = 256,
    METAL_CHANNELS_MAX = 512,
    METAL_STATES_MAX = 64,
    METAL_SENSORS_MAX = 256
};

/* One child of an accelerator that is a Metal client: class *DeviceUserClient, or it conforms to
 * IOGPUDeviceUserClient, or it has AppUsage. One whose class and id cannot be read any more has
 * ended and is left out; one whose properties cannot be read is METAL_FAILED. */
struct metal_client {
    uint64_t registry_id;
    enum metal_status status;
    struct raw_text creator; /* IOUserClientCreator: "pid 4245, python3.12" */
    /* AppUsage was there and an array (perhaps empty). Otherwise its GPU time is unknown; the Intel
     * driver's own accumulatedGPUTime counts as one entry. */
    bool usage_present;
    uint32_t usage_entries;
    uint32_t bad_entries; /* without a number of 0 or more in accumulatedGPUTime: all unknown */
    uint64_t gpu_time_ns; /* the sum over the good entries */
};

/* An IOAccelerator. PerformanceStatistics: numbers as they are, whatever their range. */
struct metal_accelerator {
    uint64_t registry_id;
    struct raw_text class_name; /* IOObjectGetClass: "AGXAcceleratorG15X" */
    struct raw_text io_class;   /* IOClass */
    struct raw_text model;      /* "Apple M3 Pro"; on Intel it may be data, up to its first NUL */
    struct measured core_count; /* gpu-core-count */
    bool powered_off;           /* AGCInfo.poweredOffByAGC is 1: a second GPU that is off */

    bool statistics_read;             /* there was a PerformanceStatistics dictionary */
    struct measured device_percent;   /* Device Utilization % */
    struct measured renderer_percent; /* Renderer Utilization % */
    struct measured tiler_percent;    /* Tiler Utilization % */
    struct measured activity_percent; /* GPU Activity(%): AMD */
    struct measured allocated_bytes;  /* Alloc system memory */
    struct measured in_use_bytes;     /* In use system memory; not "... (driver)" */
    struct measured recovery_count;   /* recoveryCount: restarts of the GPU since boot */
    struct measured temperature_celsius, power_watts, fan_rpm, fan_percent; /* AMD */
    struct measured core_clock_mhz, memory_clock_mhz;                       /* AMD */

    enum metal_status clients_status;  /* not METAL_OK: the listing is not complete */
    size_t first_client, client_count; /* in metal_sample.clients */
};

/* One walk over the registry. */
struct metal_sample {
    int64_t taken_ns; /* running clock right after the walk over the clients; the rates' clock */
    enum metal_status status; /* METAL_FAILED: the registry could not be asked at all */
    const struct metal_accelerator *accelerators;
    size_t accelerator_count;
    const struct metal_client *clients;
    size_t client_count;
    /* hw.memsize; iogpu.wired_limit_mb, 0 being the default rule; the working set that Metal
     * recommends, unknown where opening a device for it is not worth it. */
    struct measured memory_bytes, wired_limit_mb, working_set_bytes;
};

/* The names of the ledger's entries, in their order (LEDGER_TEMPLATE_INFO), read once a run. */
struct metal_ledger_names {
    enum metal_status status;
    const struct raw_text *names;
    size_t count;
};

/* The balances of one process's ledger (LEDGER_ENTRY_INFO), in the order of the names, bytes. */
struct metal_ledger {
    enum metal_status status;
    int64_t balances[METAL_LEDGER_ENTRIES_MAX];
    size_t count;
};

/* One IOReport channel over the time since the previous sample. */
struct metal_state {
    struct raw_text name; /* "OFF", "P1" */
    int64_t residency;    /* ticks of one unit */
};

struct metal_channel {
    struct raw_text group, subgroup, name, unit; /* bytes NULL: it has none */
    int64_t value; /* IOReportSimpleGetIntegerValue of the difference; 0 with states */
    const struct metal_state *states;
    size_t state_count;
};

/* A sensor by name: SMC key "Tg0f" (flt, 4 bytes), or HID product "GPU MTR Temp Sensor1". Only
 * those of the GPU need to be here; a value that is no finite number is left out. */
struct metal_sensor {
    struct raw_text name;
    int64_t millicelsius;
};

/* Power, frequency and temperature; each part on its own may be unsupported or denied. */
struct metal_power {
    enum metal_status report_status;
    bool has_difference;                  /* false in a first sample: channels are empty */
    int64_t elapsed_ns;                   /* real time between the two samples */
    const struct metal_channel *channels; /* "GPU Stats" and "Energy Model" */
    size_t channel_count;
    /* voltage-states9 (else voltage-states9-sram) of the pmgr: pairs of little-endian uint32,
     * frequency and mV, as they lie in the registry. Bytes NULL: it has none. */
    struct raw_text frequency_table;
    enum metal_status smc_status, hid_status;
    const struct metal_sensor *smc, *hid;
    size_t smc_count, hid_count;
};

#endif

/* What Windows' own GPU counters said at one moment (PDH: GPU Process Memory, GPU Adapter Memory,
 * GPU Engine), in the order in which PDH returned it. The same for the Windows backend, for the
 * stream from the Windows host in WSL and for a recording.
 *
 * Bytes: Local is resident in the adapter's own memory, Non Local in system RAM; Total Committed
 * and Dedicated are commitments, not what is resident. An instance whose status is an error is
 * unknown (bad_status); a negative value, or one beyond 63 bits, is a phantom
 * (larger_than_adapter). */
#ifndef READING_WDDM_H
#define READING_WDDM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/engines.h"
#include "reading/measured.h"
#include "reading/pass.h"

enum wddm_process_list { /* of GPU Process Memory */
                         WDDM_LOCAL,
                         WDDM_NON_LOCAL,
                         WDDM_COMMITTED,
                         WDDM_DEDICATED, /* only where Windows has no Local Usage */
                         WDDM_PROCESS_LIST_COUNT
};

enum wddm_adapter_list { WDDM_ADAPTER_DEDICATED, WDDM_ADAPTER_SHARED, WDDM_ADAPTER_LIST_COUNT };

/* One instance. Duplicates are kept apart: vmwp.exe has one a guest context. */
struct wddm_bytes {
    int64_t pid;   /* 0 in a list of adapters */
    uint64_t luid; /* high part << 32 | low part */
    struct measured bytes;
};

struct wddm_list {
    bool read; /* false: the counter could not be read; its list is unknown, not empty */
    const struct wddm_bytes *items;
    size_t count;
    enum reason why_not; /* while not read; not_reported: no more is known than that it failed */
};

/* The load of one process on one engine. */
struct wddm_engine {
    int64_t pid;
    uint64_t luid;
    uint32_t physical, number, duplicate;
    uint32_t type; /* tells engine types apart, also those of one column */
    enum engine column;
    struct measured millipercent; /* may pass 100000 by jitter */
};

struct wddm_process {
    int64_t pid;
    struct raw_text name; /* image name, with or without ".exe" */
    bool has_started;
    int64_t started_us; /* since 1970 */
};

enum wddm_memory { WDDM_MEMORY_UNTOLD, WDDM_MEMORY_OWN, WDDM_MEMORY_UNIFIED };

struct wddm_adapter { /* as Windows describes it; not every source says it */
    uint64_t luid;
    enum wddm_memory memory; /* its own, or one with the system's */
    struct raw_text name;
    uint32_t vendor_id; /* 0: unknown */
    struct measured dedicated_bytes, shared_limit_bytes;
};

struct wddm_sample {
    struct wddm_list process[WDDM_PROCESS_LIST_COUNT];
    struct wddm_list adapter[WDDM_ADAPTER_LIST_COUNT];
    bool engines_read;
    enum reason engines_why_not; /* as in a list */
    const struct wddm_engine *engines;
    size_t engine_count;
    const struct wddm_process *processes;
    size_t process_count;
    const struct wddm_adapter *adapters;
    size_t adapter_count;
    const uint64_t *hidden; /* LUIDs of adapters that are no GPUs: what the counters say of them */
    size_t hidden_count;    /* belongs to none */
};

/* "luid:0x00000000_0x0000d1a2" */
void wddm_adapter_id(uint64_t luid, char id[ADAPTER_ID_SIZE]);
/* False when it is no such id. */
bool wddm_adapter_luid(const char *id, uint64_t *luid);
/* "nvidia", "amd", "intel" ...; bytes NULL: another's. */
struct raw_text wddm_vendor_name(uint32_t vendor_id);
/* Why a list was not read. */
static inline enum reason wddm_why_not(enum reason said)
{
    return said == REASON_not_reported ? REASON_bad_status : said;
}

#endif

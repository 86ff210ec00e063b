/* One collection of the GPU counters as PDH has them: raw, before anything is made of them. Live:
 * gpu/wddm/windows/pdh_door.c (PdhCollectQueryData and PdhGetRawCounterArrayW over one query that
 * stays open); a recorded machine has counters.jsonl. raw_counters.h turns two of them into
 * figures.
 *
 * `Utilization Percentage`: first = accumulated running time, second = time base, both in 100 ns.
 * Memory counters: first = bytes, signed. Source: reference windows.md section 1. */
#ifndef GPU_WDDM_PDH_RAW_H
#define GPU_WDDM_PDH_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/wddm/counters.h"

/* Status codes of PDH that mean something here. */
#define PDH_VALID_DATA UINT32_C(0x00000000)
#define PDH_NEW_DATA UINT32_C(0x00000001) /* valid too */
#define PDH_NO_MACHINE UINT32_C(0x800007D0)
#define PDH_NO_INSTANCE UINT32_C(0x800007D1)
#define PDH_MORE_DATA UINT32_C(0x800007D2)
#define PDH_NO_DATA UINT32_C(0x800007D5) /* no instances now: an empty list */
#define PDH_NEGATIVE_DENOMINATOR UINT32_C(0x800007D6)
#define PDH_NEGATIVE_TIMEBASE UINT32_C(0x800007D7)
#define PDH_NEGATIVE_VALUE UINT32_C(0x800007D8)
#define PDH_NO_OBJECT UINT32_C(0xC0000BB8)
#define PDH_NO_COUNTER UINT32_C(0xC0000BB9)
#define PDH_INVALID_HANDLE UINT32_C(0xC0000BBC)
#define PDH_INVALID_ARGUMENT UINT32_C(0xC0000BBD)
#define PDH_INVALID_DATA UINT32_C(0xC0000BC6)
#define PDH_NOT_ASKED UINT32_MAX /* ours: the library is absent, or the counter was never added */

struct pdh_raw_item {
    struct raw_text instance; /* UTF-8, as PDH spells it */
    uint32_t status;          /* CStatus */
    int64_t first, second;
    int64_t time_100ns; /* FILETIME of this value; 0: that of the collection */
};

struct pdh_raw_array {
    /* Of the call that brought the array, or of the one that added the counter where that failed:
     * NO_OBJECT and NO_COUNTER mean that this Windows has no such counter now. */
    uint32_t status;
    const struct pdh_raw_item *items;
    size_t count;
};

struct pdh_collection {
    uint32_t status;    /* of PdhCollectQueryData */
    int64_t time_100ns; /* FILETIME */
    struct pdh_raw_array arrays[PDH_PATH_COUNT];
};

/* Live: one query, kept open. */
struct pdh_query;

/* Loads the library (from System32 alone), opens a query and adds every counter; what cannot be
 * added keeps its status. NULL: this system has no PDH, *status says why. Slow (0.2 s), once. */
struct pdh_query *pdh_query_open(uint32_t *status);
/* Adds again what could not be added (a driver was installed, a device restarted). */
void pdh_query_add_missing(struct pdh_query *query);
/* Texts and items live in `arena`. */
void pdh_query_collect(struct pdh_query *query, struct arena *arena,
                       struct pdh_collection *collection);
void pdh_query_close(struct pdh_query **query);

static inline bool pdh_is_valid(uint32_t status)
{
    return status == PDH_VALID_DATA || status == PDH_NEW_DATA;
}

#endif

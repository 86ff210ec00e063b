/* PDH's functions as we call them, behind a table: pdh.dll on Windows, a stand-in in the tests.
 * Texts are UTF-16. Layouts are the same on x64 and ARM64. Source: reference windows.md
 * section 1.3. */
#ifndef GPU_WDDM_PDH_CALLS_H
#define GPU_WDDM_PDH_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* Every one answers a status of PDH. */
struct pdh_calls {
    uint32_t (*open_query)(const uint16_t *source, size_t user, void **query);
    uint32_t (*add_english_counter)(void *query, const uint16_t *path, size_t user, void **counter);
    uint32_t (*collect)(void *query);
    /* PdhGetRawCounterArrayW: items, and behind them their names, in one buffer of *size bytes. */
    uint32_t (*raw_array)(void *counter, uint32_t *size, uint32_t *count, void *buffer);
    uint32_t (*close_query)(void *query);
    uint32_t (*remove_counter)(void *counter); /* may be NULL */
};

/* PDH_RAW_COUNTER_ITEM_W. FILETIMEs are two halves: they need not lie on 8 bytes. */
struct pdh_wire_item {
    const void *name;
    uint32_t status;
    uint32_t time_low, time_high;
    uint32_t padding;
    int64_t first, second;
    uint32_t multi_count;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct pdh_wire_item) == 48, "PDH_RAW_COUNTER_ITEM_W");
_Static_assert(sizeof(void *) != 8 || offsetof(struct pdh_wire_item, status) == 8,
               "PDH_RAW_COUNTER");
_Static_assert(sizeof(void *) != 8 || offsetof(struct pdh_wire_item, time_low) == 12,
               "PDH_RAW_COUNTER");
_Static_assert(sizeof(void *) != 8 || offsetof(struct pdh_wire_item, first) == 24,
               "PDH_RAW_COUNTER");
_Static_assert(sizeof(void *) != 8 || offsetof(struct pdh_wire_item, multi_count) == 40,
               "PDH_RAW_COUNTER");

#endif

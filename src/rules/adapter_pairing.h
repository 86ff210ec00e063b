/* Readings of several backends with one id are one adapter, and adapters have an order.
 *
 * Input: the adapter readings of all backends. Output: one merged reading an id. Of each figure the
 * known one is kept; where both know it that of the driver's own library wins over the kernel's
 * files (lists_processes). The power state that says most wins: lost, suspended, active.
 *
 * Indexes (SPEC section 3): discrete before integrated, then by PCI address as numbers; an adapter
 * without address keeps its driver's place; MIG instances and partitions after all devices. An
 * index, once given, stays for the run: later adapters are appended. */
#ifndef RULES_ADAPTER_PAIRING_H
#define RULES_ADAPTER_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/adapter.h"

struct paired_adapter {
    struct adapter_reading reading; /* merged */
    int64_t index;
};

struct adapter_indexes; /* which index each id was given in this run */

struct adapter_indexes *adapter_indexes_new(void);
void adapter_indexes_free(struct adapter_indexes **indexes);

/* Merges and numbers. Result: `*count` adapters in the order of their index, in `arena`. */
struct paired_adapter *adapter_pairing_step(struct adapter_indexes *indexes, struct arena *arena,
                                            const struct adapter_reading *const *readings,
                                            size_t reading_count, size_t *count);

/* The order of two adapters that have no index yet, as for qsort(). */
int adapter_pairing_compare(const struct adapter_reading *a, const struct adapter_reading *b);

#endif

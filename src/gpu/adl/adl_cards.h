/* ADL counts a card several times, once for each of its outputs: which of its adapters are one
 * card, and what the names that Windows gives say of it. Pure.
 * Source: reference windows.md section 3. */
#ifndef GPU_ADL_CARDS_H
#define GPU_ADL_CARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/adl/adl_abi.h"

enum { ADL_CARDS_MAX = 16, ADL_CARD_INDEXES_MAX = 32 };

struct adl_card {
    int32_t bus, device, function;
    const struct adl_adapter_info *info; /* the first of them */
    int32_t indexes[ADL_CARD_INDEXES_MAX];
    size_t index_count;
};

/* The cards among `infos`, in its order; their number. Adapters without a PCI address and those of
 * other vendors are left out. */
size_t adl_cards_group(const struct adl_adapter_info *infos, size_t count,
                       struct adl_card cards[ADL_CARDS_MAX]);

struct adl_ids {
    uint32_t vendor, device, subsystem_vendor, subsystem_device, revision;
    bool has_revision;
};

/* The numbers in "PCI\VEN_1002&DEV_744C&SUBSYS_0E3B1002&REV_C8\..."; false without vendor and
 * device. `text` need not end with a NUL within `size`. */
bool adl_ids_parse(const char *text, size_t size, struct adl_ids *ids);

#endif

/* ADL counts a card several times, once for each of its outputs: which of its adapters are one
 * card. Pure.
 * Source: reference windows.md section 3. */
#ifndef GPU_ADL_CARDS_H
#define GPU_ADL_CARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/adl/adl_abi.h"
#include "gpu/helper/display_devices.h"
#include "reading/pass.h"

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

/* An AMD GPU is off (Windows' tree of devices) and the user has not selected it. */
bool adl_must_rest(const struct display_devices *devices, const struct pass *pass);

#endif

/* What the cards are called: as NVML said when they were last awake, else by the lists of PCI ids.
 */
#ifndef GPU_NVML_CARDS_H
#define GPU_NVML_CARDS_H

#include "gpu/nvml/nvidia_pci.h"
#include "gpu/nvml/nvml_abi.h"
#include "reading/adapter.h"

struct nvml_card {
    char id[ADAPTER_ID_SIZE];
    char name[NVML_TEXT_SIZE];
    char uuid[NVML_TEXT_SIZE]; /* "" while unknown */
};

struct nvml_cards {
    struct nvml_card items[NVIDIA_FUNCTIONS_MAX];
    size_t count;
};

/* Keeps name and UUID of an adapter that NVML answered for. */
void nvml_cards_remember(struct nvml_cards *cards, const struct adapter_reading *adapter);
/* The card of a PCI function; looked up in the lists of ids the first time. NULL when there are too
 * many. */
const struct nvml_card *nvml_cards_of(struct nvml_cards *cards, const struct root *root,
                                      const struct nvidia_function *function);

#endif

#include "gpu/nvml/nvml_cards.h"

#include <stdio.h>
#include <string.h>

#include "gpu/drm/names.h"

static struct nvml_card *find(struct nvml_cards *cards, const char *id)
{
    for (size_t i = 0; i < cards->count; i++)
        if (strcmp(cards->items[i].id, id) == 0)
            return &cards->items[i];
    return NULL;
}

/* The card of this id, perhaps new and empty; NULL when there is no room. */
static struct nvml_card *find_or_add(struct nvml_cards *cards, const char *id)
{
    struct nvml_card *card = find(cards, id);
    if (card != NULL || cards->count == NVIDIA_FUNCTIONS_MAX)
        return card;
    card = &cards->items[cards->count++];
    snprintf(card->id, sizeof card->id, "%s", id);
    return card;
}

static void keep(char *to, size_t size, struct raw_text text)
{
    if (text.length > 0)
        snprintf(to, size, "%.*s", (int)text.length, text.bytes);
}

void nvml_cards_remember(struct nvml_cards *cards, const struct adapter_reading *adapter)
{
    if (adapter->name.length == 0 || adapter->kind == ADAPTER_MIG)
        return;
    struct nvml_card *card = find_or_add(cards, adapter->id);
    if (card == NULL)
        return;
    keep(card->name, sizeof card->name, adapter->name);
    keep(card->uuid, sizeof card->uuid, adapter->uuid);
}

const struct nvml_card *nvml_cards_of(struct nvml_cards *cards, const struct root *root,
                                      const struct nvidia_function *function)
{
    struct nvml_card *card = find(cards, function->id);
    if (card != NULL)
        return card;
    card = find_or_add(cards, function->id);
    if (card == NULL)
        return NULL;
    const struct name_question question = {.folder = "",
                                           .driver = "nvidia",
                                           .compatible = "",
                                           .has_pci_ids = true,
                                           .vendor = NVIDIA_VENDOR,
                                           .device = function->device,
                                           .revision = function->revision};
    char name[ADAPTER_NAME_SIZE];
    if (root == NULL)
        return card;
    name_find(root, &question, name);
    keep(card->name, sizeof card->name, raw_from_string(name));
    return card;
}

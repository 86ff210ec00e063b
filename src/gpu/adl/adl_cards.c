#include "gpu/adl/adl_cards.h"

#include <string.h>

static bool has_address(const struct adl_adapter_info *info)
{
    return info->bus >= 0 && info->bus <= 0xff && info->device >= 0 && info->device <= 0x1f &&
           info->function >= 0 && info->function <= 7;
}

static bool is_amd(const struct adl_adapter_info *info)
{
    return info->vendor == ADL_VENDOR_AS_WORDS || info->vendor == ADL_VENDOR;
}

static struct adl_card *card_at(struct adl_card *cards, size_t count,
                                const struct adl_adapter_info *info)
{
    for (size_t i = 0; i < count; i++)
        if (cards[i].bus == info->bus && cards[i].device == info->device &&
            cards[i].function == info->function)
            return &cards[i];
    return NULL;
}

size_t adl_cards_group(const struct adl_adapter_info *infos, size_t count,
                       struct adl_card cards[ADL_CARDS_MAX])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct adl_adapter_info *info = &infos[i];
        if (!has_address(info) || !is_amd(info) || info->index < 0)
            continue;
        struct adl_card *card = card_at(cards, found, info);
        if (!card) {
            if (found == ADL_CARDS_MAX)
                continue;
            card = &cards[found++];
            *card = (struct adl_card){
                .bus = info->bus, .device = info->device, .function = info->function, .info = info};
        }
        if (card->index_count < ADL_CARD_INDEXES_MAX)
            card->indexes[card->index_count++] = info->index;
    }
    return found;
}

bool adl_must_rest(const struct display_devices *devices, const struct pass *pass)
{
    for (size_t i = 0; i < devices->count; i++) {
        const struct display_device *device = &devices->items[i];
        char id[ADAPTER_ID_SIZE] = "";
        bool selected = false;
        if (device->id.vendor != ADL_VENDOR || !display_device_is_off(device))
            continue;
        bool has_id = display_device_address(device, id);
        for (size_t k = 0; has_id && k < pass->touch_count; k++)
            selected = selected || strcmp(pass->touch[k], id) == 0;
        if (!selected)
            return true;
    }
    return false;
}

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

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool starts_with(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    if (size < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (upper(text[i]) != word[i])
            return false;
    return true;
}

/* The hexadecimal number behind `word`: exactly so many digits, and no more. */
static bool hex_after(const char *text, size_t size, const char *word, size_t digits,
                      uint32_t *value)
{
    size_t length = strlen(word);
    for (size_t at = 0; at + length + digits <= size && text[at]; at++) {
        if (!starts_with(text + at, size - at, word))
            continue;
        uint32_t number = 0;
        size_t i = 0;
        for (; i < digits; i++) {
            char c = upper(text[at + length + i]);
            int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
            if (digit < 0)
                break;
            number = number << 4 | (uint32_t)digit;
        }
        if (i == digits) {
            *value = number;
            return true;
        }
    }
    return false;
}

bool adl_ids_parse(const char *text, size_t size, struct adl_ids *ids)
{
    uint32_t subsystem = 0;
    *ids = (struct adl_ids){0};
    if (!hex_after(text, size, "VEN_", 4, &ids->vendor) ||
        !hex_after(text, size, "DEV_", 4, &ids->device))
        return false;
    if (hex_after(text, size, "SUBSYS_", 8, &subsystem)) {
        ids->subsystem_device = subsystem >> 16;
        ids->subsystem_vendor = subsystem & 0xffff;
    }
    ids->has_revision = hex_after(text, size, "REV_", 2, &ids->revision);
    return true;
}

#include "gpu/helper/hardware_id.h"

#include <string.h>

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

bool hardware_id_parse(const char *text, size_t size, struct hardware_id *id)
{
    uint32_t subsystem = 0;
    *id = (struct hardware_id){0};
    if (!hex_after(text, size, "VEN_", 4, &id->vendor) ||
        !hex_after(text, size, "DEV_", 4, &id->device))
        return false;
    if (hex_after(text, size, "SUBSYS_", 8, &subsystem)) {
        id->subsystem_device = subsystem >> 16;
        id->subsystem_vendor = subsystem & 0xffff;
    }
    id->has_revision = hex_after(text, size, "REV_", 2, &id->revision);
    return true;
}

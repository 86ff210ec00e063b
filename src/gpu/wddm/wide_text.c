#include "gpu/wddm/wide_text.h"

#include <stdbool.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd, UTF8_MAX = 3 }; /* bytes of UTF-8 for one unit, at most */

static uint32_t unit_at(const void *wide, size_t at)
{
    uint16_t unit;
    memcpy(&unit, (const unsigned char *)wide + at * sizeof unit, sizeof unit);
    return unit;
}

static bool is_high(uint32_t unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(uint32_t unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

static size_t put(char *bytes, uint32_t code)
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    bytes[0] = (char)(0xf0 | code >> 18);
    bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
    bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
    bytes[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

struct raw_text wide_text(struct arena *arena, const void *wide, size_t limit)
{
    size_t units = 0, length = 0;
    while (units < limit && unit_at(wide, units) != 0)
        units++;
    if (units == 0)
        return (struct raw_text){NULL, 0};
    char *bytes = arena_alloc(arena, units * UTF8_MAX + 1);
    for (size_t i = 0; i < units; i++) {
        uint32_t unit = unit_at(wide, i);
        uint32_t next = i + 1 < units ? unit_at(wide, i + 1) : 0;
        if (is_high(unit) && is_low(next)) {
            unit = 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
            i++;
        } else if (is_high(unit) || is_low(unit)) {
            unit = REPLACEMENT;
        }
        length += put(bytes + length, unit);
    }
    return (struct raw_text){bytes, length};
}

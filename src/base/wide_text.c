#include "base/wide_text.h"

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
        length += text_encode(unit, bytes + length);
    }
    return (struct raw_text){bytes, length};
}

#include "base/width.h"

#include <stddef.h>

struct range {
    uint32_t first, last;
};

#define RANGE(first, last) {first, last},
static const struct range zero_ranges[] = {
#include "base/width_zero.def"
};
static const struct range wide_ranges[] = {
#include "base/width_wide.def"
};
#undef RANGE

static bool range_has(const struct range *ranges, size_t count, uint32_t code_point)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code_point > ranges[middle].last)
            low = middle + 1;
        else if (code_point < ranges[middle].first)
            high = middle;
        else
            return true;
    }
    return false;
}

int width_of(uint32_t code_point)
{
    if (code_point < zero_ranges[0].first)
        return 1;
    if (range_has(zero_ranges, sizeof zero_ranges / sizeof *zero_ranges, code_point))
        return 0;
    return range_has(wide_ranges, sizeof wide_ranges / sizeof *wide_ranges, code_point) ? 2 : 1;
}

bool width_is_mark(uint32_t code_point)
{
    bool selector = (code_point >= 0xFE00 && code_point <= 0xFE0F) ||
                    (code_point >= 0xE0100 && code_point <= 0xE01EF);
    bool joiner = (code_point >= 0x200B && code_point <= 0x200F) ||
                  (code_point >= 0x2060 && code_point <= 0x206F);
    bool jamo = code_point >= 0x1160 && code_point <= 0x11FF;
    return !selector && !joiner && !jamo;
}

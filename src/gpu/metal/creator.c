#include "gpu/metal/creator.h"

#include <string.h>

bool metal_creator_parse(struct raw_text creator, int64_t *pid, struct raw_text *name)
{
    static const char start[] = "pid ";
    size_t at = sizeof start - 1;
    if (!creator.bytes || creator.length < at || memcmp(creator.bytes, start, at) != 0)
        return false;
    int64_t value = 0;
    size_t first = at;
    while (at < creator.length && creator.bytes[at] >= '0' && creator.bytes[at] <= '9') {
        value = value * 10 + (creator.bytes[at++] - '0');
        if (value > INT32_MAX)
            return false;
    }
    if (at == first || creator.length - at < 2 || creator.bytes[at] != ',' ||
        creator.bytes[at + 1] != ' ')
        return false;
    *pid = value;
    *name = (struct raw_text){creator.bytes + at + 2, creator.length - at - 2};
    return true;
}

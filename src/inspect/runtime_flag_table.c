#include "inspect/runtime_flag_table.h"

#include <string.h>

#include "base/lines.h"
#include "inspect/runtime_flags.h"

static const struct flag table[] = {
#define FLAG(spelling, twin, kind, member)                                                         \
    {spelling, twin, KIND_##kind, offsetof(struct runtime_flags, member)},
#include "inspect/runtime_flags.def"
#undef FLAG
};
enum { FLAG_COUNT = sizeof table / sizeof *table };

bool flag_takes_value(enum flag_kind kind)
{
    switch (kind) {
    case KIND_SET:
    case KIND_CLEAR:
    case KIND_MMAP:
    case KIND_NO_MMAP:
    case KIND_MLOCK:
    case KIND_WISH:
    case KIND_WISH_TRUE:
    case KIND_WISH_FALSE:
    case KIND_IGNORED:
        return false;
    default:
        return true;
    }
}

bool flag_is_spelled(struct raw_text argument, const char *spelling)
{
    size_t length = strlen(spelling);
    bool folds = raw_starts_with(argument, "--");
    if (argument.length != length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = argument.bytes[i];
        if ((folds && c == '_' ? '-' : c) != spelling[i]) {
            return false;
        }
    }
    return true;
}

const struct flag *flag_find(struct raw_text spelling)
{
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (flag_is_spelled(spelling, table[i].spelling)) {
            return &table[i];
        }
    }
    return NULL;
}

const struct flag *flag_of_twin(struct raw_text name)
{
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (table[i].twin && raw_equal_string(name, table[i].twin)) {
            return &table[i];
        }
    }
    return NULL;
}

const struct flag *flag_opposite(const struct flag *flag)
{
    static const enum flag_kind pairs[][2] = {
        {KIND_SET, KIND_CLEAR}, {KIND_WISH_TRUE, KIND_WISH_FALSE}, {KIND_MMAP, KIND_NO_MMAP}};
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            bool opposite = (table[i].kind == pairs[k][0] && flag->kind == pairs[k][1]) ||
                            (table[i].kind == pairs[k][1] && flag->kind == pairs[k][0]);
            if (opposite && table[i].offset == flag->offset) {
                return &table[i];
            }
        }
    }
    return NULL;
}

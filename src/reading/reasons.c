#include "reading/reasons.h"

#include <stddef.h>

static const struct {
    const char *code, *words;
} reasons[REASON_COUNT] = {
#define REASON(name, words) [REASON_##name] = {#name, words},
#include "reading/reasons.def"
#undef REASON
};

_Static_assert(REASON_COUNT <= 64, "struct reason_set has a bit a reason");

static enum reason reason_checked(enum reason reason)
{
    return (unsigned)reason < REASON_COUNT ? reason : REASON_not_reported;
}

const char *reason_code(enum reason reason)
{
    return reasons[reason_checked(reason)].code;
}

const char *reason_words(enum reason reason)
{
    return reasons[reason_checked(reason)].words;
}

bool reason_from_code(struct text code, enum reason *reason)
{
    for (size_t i = 0; i < REASON_COUNT; i++)
        if (text_equal_string(code, reasons[i].code)) {
            *reason = (enum reason)i;
            return true;
        }
    return false;
}

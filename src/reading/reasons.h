/* Why a figure is unavailable: one table for code, JSON and words (reasons.def). */
#ifndef READING_REASONS_H
#define READING_REASONS_H

#include <stdbool.h>

#include "base/text.h"

enum reason {
#define REASON(name, words) REASON_##name,
#include "reading/reasons.def"
#undef REASON
    REASON_COUNT
};

/* The code in JSON ("need_two_samples"). Static. */
const char *reason_code(enum reason reason);
/* What a person reads. Static. */
const char *reason_words(enum reason reason);
bool reason_from_code(struct text code, enum reason *reason);

/* A set of reasons, for fields that give every reason that holds. */
struct reason_set {
    unsigned long long bits; /* 1 << reason */
};
static inline void reason_set_add(struct reason_set *set, enum reason reason)
{
    set->bits |= 1ULL << reason;
}
static inline bool reason_set_has(struct reason_set set, enum reason reason)
{
    return (set.bits >> reason & 1) != 0;
}
static inline bool reason_set_is_empty(struct reason_set set)
{
    return set.bits == 0;
}

#endif

/* A set of contexts, by their place in the list of a refresh. */
#ifndef RULES_WSL_BITS_H
#define RULES_WSL_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WSL_CONTEXTS_MAX = 256, WSL_WORDS = WSL_CONTEXTS_MAX / 64 };

struct context_set {
    uint64_t words[WSL_WORDS];
};

static inline bool context_set_has(const struct context_set *set, size_t place)
{
    return place < WSL_CONTEXTS_MAX && (set->words[place / 64] >> (place % 64) & 1) != 0;
}

static inline void context_set_add(struct context_set *set, size_t place)
{
    if (place < WSL_CONTEXTS_MAX)
        set->words[place / 64] |= (uint64_t)1 << (place % 64);
}

static inline void context_set_remove(struct context_set *set, size_t place)
{
    if (place < WSL_CONTEXTS_MAX)
        set->words[place / 64] &= ~((uint64_t)1 << (place % 64));
}

static inline void context_set_join(struct context_set *set, const struct context_set *other)
{
    for (size_t i = 0; i < WSL_WORDS; i++)
        set->words[i] |= other->words[i];
}

static inline void context_set_keep(struct context_set *set, const struct context_set *other)
{
    for (size_t i = 0; i < WSL_WORDS; i++)
        set->words[i] &= other->words[i];
}

static inline void context_set_drop(struct context_set *set, const struct context_set *other)
{
    for (size_t i = 0; i < WSL_WORDS; i++)
        set->words[i] &= ~other->words[i];
}

static inline bool context_set_is_empty(const struct context_set *set)
{
    uint64_t all = 0;
    for (size_t i = 0; i < WSL_WORDS; i++)
        all |= set->words[i];
    return all == 0;
}

/* The only one in it, or SIZE_MAX. */
static inline size_t context_set_only(const struct context_set *set)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < WSL_WORDS; i++) {
        uint64_t word = set->words[i];
        if (word == 0)
            continue;
        if (found != SIZE_MAX || (word & (word - 1)) != 0)
            return SIZE_MAX;
        size_t bit = 0;
        while ((word >> bit & 1) == 0)
            bit++;
        found = i * 64 + bit;
    }
    return found;
}

#endif

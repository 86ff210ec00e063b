/* Which guest context of one sample is which of the next? They have no names: the list is newest
 * first, so contexts that go on keep their order, new ones stand at its front, and any may end.
 *
 * All ways to explain the new list that are about as simple as the simplest one count. A way costs
 * one for each size that changed, and one for each beginning or end beyond those that the Linux
 * side has seen. The more has happened, the dearer a way may be that still counts. A context of
 * which it is known that its owner lives goes on in every way; our own one has 0 bytes in every
 * way. */
#ifndef RULES_WSL_CONTEXTS_H
#define RULES_WSL_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "reading/measured.h"
#include "rules/wsl_bits.h"

struct context_before {
    struct measured bytes;
    bool lives; /* its owner is known and alive */
    bool empty; /* and is ourselves: 0 bytes */
    bool ends;  /* its owner has ended: it goes soon, and does not grow meanwhile */
};

struct context_change {
    const struct context_before *before; /* newest first */
    size_t before_count;
    const struct measured *after; /* newest first */
    size_t after_count;
    size_t expected_births, expected_deaths;
    size_t slack; /* how much dearer than twice the simplest way's cost still counts */
};

/* Fills, for each context before, which ones after it may be (places in `after`), and which of
 * those after may be new. False when no way fits: what lives did not go on. */
bool wsl_contexts_follow(struct arena *arena, const struct context_change *change,
                         struct context_set *may_be, struct context_set *may_be_new);

#endif

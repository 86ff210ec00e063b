/* Who may own which context, and what all explanations agree on. An explanation gives every process
 * that must have a context one of those it may own, and no context to two. */
#ifndef RULES_WSL_OWNERS_H
#define RULES_WSL_OWNERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "reading/measured.h"
#include "rules/wsl_bits.h"

/* What an explanation says of a context. Nothing is nothing, wherever it is. */
struct context_size {
    uint64_t luid;
    struct measured bytes;
};

struct context_claim {
    struct context_set may_own;
    bool must_own; /* false: it may have none yet */

    /* Filled. */
    bool explained; /* it must own one, and every process that competes with it can have one */
    bool agreed;    /* explained, and all explanations give the same size and adapter */
    size_t place;   /* while agreed: a context of that size, no other claim's */
};

void wsl_owners_explain(struct arena *arena, struct context_claim *claims, size_t claim_count,
                        const struct context_size *sizes, size_t context_count);
/* Whether there is an explanation in which this claim has this context. */
bool wsl_owners_allow(struct arena *arena, const struct context_claim *claims, size_t claim_count,
                      size_t context_count, size_t claim, size_t place);

#endif

/* The guess where nothing is certain: a newer process has a newer context. What is surplus is left
 * aside: first what is known to be foreign, then the oldest. The order holds within one adapter. */
#ifndef RULES_WSL_GUESS_H
#define RULES_WSL_GUESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "reading/identity.h"
#include "rules/wsl_bits.h"

struct guess_holder {
    struct identity identity; /* its start stamp tells its age */
    struct context_set may_own;
    bool wants;   /* a guess */
    size_t place; /* filled: of a context, or SIZE_MAX */
};

struct guess_context { /* newest first within one adapter */
    uint64_t luid;
    bool foreign; /* its size is known to be foreign */
    bool taken;   /* by somebody for certain */
};

void wsl_guess(struct arena *arena, struct guess_holder *holders, size_t holder_count,
               struct guess_context *contexts, size_t context_count);

#endif

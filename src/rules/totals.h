/* The only adder of bytes. It takes measured counters and nothing else: what is inferred, estimated
 * or reported is another type and does not compile (SPEC section 1, rule 3; tests/proofs). */
#ifndef RULES_TOTALS_H
#define RULES_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "reading/measured.h"

struct total {
    int64_t sum;
    size_t known, unknown; /* how many were added, and how many had no value */
    bool overflowed;
};

void total_add(struct total *total, struct measured value);
/* The sum of what is measured; values that are unknown stay outside it. incredible_value on
 * overflow. */
struct measured total_value(const struct total *total);

/* Device used - attributed. Unknown when either is. Where attributed exceeds used (two counters
 * read at two moments) it is 0 and *exceeds is set. */
struct measured total_unattributed(struct measured used, struct measured attributed, bool *exceeds);

#endif

/* Reference counts. The count lives in the object; the last release calls its destroy function. */
#ifndef BASE_REFERENCE_H
#define BASE_REFERENCE_H

#include <stdatomic.h>
#include <stdbool.h>

struct reference {
    atomic_int count;
};

static inline void reference_start(struct reference *reference)
{
    atomic_init(&reference->count, 1);
}

static inline void reference_take(struct reference *reference)
{
    atomic_fetch_add_explicit(&reference->count, 1, memory_order_relaxed);
}

/* True when this was the last one: the caller destroys the object. */
static inline bool reference_drop(struct reference *reference)
{
    return atomic_fetch_sub_explicit(&reference->count, 1, memory_order_acq_rel) == 1;
}

#endif

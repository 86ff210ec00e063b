/* Growing arrays: `struct { type *items; size_t count, capacity; }` with one macro to push. Such an
 * array owns its items; vector_free() gives them back. */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <stddef.h>
#include <stdlib.h>

#include "base/fatal.h"

/* Room for `want` items in all; returns the (moved) array. Grows by half. */
void *vector_reserve(void *items, size_t *capacity, size_t want, size_t item_size);

#define VECTOR_PUSH(vector, item)                                                                  \
    ((vector)->items = vector_reserve((vector)->items, &(vector)->capacity, (vector)->count + 1,   \
                                      sizeof *(vector)->items),                                    \
     (vector)->items[(vector)->count++] = (item))

/* Frees the items and empties the vector. */
#define VECTOR_FREE(vector)                                                                        \
    (free((vector)->items), (vector)->items = NULL, (vector)->count = (vector)->capacity = 0)

#endif

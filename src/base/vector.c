#include "base/vector.h"

#include <stdint.h>

void *vector_reserve(void *items, size_t *capacity, size_t want, size_t item_size)
{
    if (want <= *capacity)
        return items;
    size_t larger = *capacity <= SIZE_MAX / 2 ? *capacity + *capacity / 2 : want;

    if (larger < 8)
        larger = 8;
    if (larger < want)
        larger = want;
    items = memory_grow(items, larger, item_size);
    *capacity = larger;
    return items;
}

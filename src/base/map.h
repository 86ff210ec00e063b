/* A hash map from byte keys (compared with memcmp, so keys must have no padding) to values of one
 * size. It copies both. Open addressing; iteration order is not stable over insertions. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct map;

struct map *map_new(size_t key_size, size_t value_size);
void map_free(struct map **map);
void map_clear(struct map *map);
size_t map_count(const struct map *map);

/* The value of a key, or NULL. Valid until the next map_put() or map_remove(). */
void *map_get(const struct map *map, const void *key);
/* The value of a key, added (zeroed) when absent; *added says so (may be NULL). */
void *map_put(struct map *map, const void *key, bool *added);
bool map_remove(struct map *map, const void *key);

/* Walks all entries: `size_t at = 0; while (map_next(map, &at, &key, &value))`. The map must not be
 * changed meanwhile. */
bool map_next(const struct map *map, size_t *at, const void **key, void **value);
/* Removes every entry for which `drop` says so. */
void map_remove_if(struct map *map, bool (*drop)(const void *key, void *value, void *context),
                   void *context);

#endif

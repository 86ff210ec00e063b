#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

enum { MAP_ALIGNMENT = _Alignof(max_align_t), MAP_SLOTS_FIRST = 16 };

/* Entries lie dense in one array, in the order they were added (a removed one is replaced by the
 * last); an open-addressed table of slots finds them. Walking is a plain loop, and the same
 * operations always walk in the same order. */
struct map {
    size_t key_size;
    size_t value_offset;
    size_t stride;
    size_t count, capacity;
    unsigned char *entries;
    uint64_t *hashes;
    uint32_t *slots;   /* entry number + 1; 0: empty */
    size_t slot_count; /* a power of two, or 0 */
};

static size_t map_align(size_t size)
{
    return (size + MAP_ALIGNMENT - 1) / MAP_ALIGNMENT * MAP_ALIGNMENT;
}

/* The finaliser of MurmurHash3 after each word: every bit of a key reaches every bit of the hash,
 * so that keys which differ in their high bits only do not pile up. */
static uint64_t map_mix(uint64_t hash)
{
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdULL;
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53ULL;
    return hash ^ hash >> 33;
}

static uint64_t map_hash(const void *key, size_t size)
{
    const unsigned char *bytes = key;
    uint64_t hash = 0x9e3779b97f4a7c15ULL ^ size;

    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;

        memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
        hash = map_mix(hash ^ word) + 0x9e3779b97f4a7c15ULL;
    }
    return hash;
}

struct map *map_new(size_t key_size, size_t value_size)
{
    struct map *map = memory_new(sizeof *map);

    map->key_size = key_size;
    map->value_offset = map_align(key_size);
    map->stride = map->value_offset + map_align(value_size);
    return map;
}

void map_free(struct map **map)
{
    if (!*map)
        return;
    free((*map)->entries);
    free((*map)->hashes);
    free((*map)->slots);
    free(*map);
    *map = NULL;
}

void map_clear(struct map *map)
{
    map->count = 0;
    if (map->slot_count)
        memset(map->slots, 0, map->slot_count * sizeof *map->slots);
}

size_t map_count(const struct map *map)
{
    return map->count;
}

static unsigned char *map_entry(const struct map *map, size_t number)
{
    return map->entries + number * map->stride;
}

/* The slot that holds the key, or the empty one where it belongs. The table is never full. */
static size_t map_find(const struct map *map, const void *key, uint64_t hash)
{
    size_t slot = (size_t)hash & (map->slot_count - 1);

    while (map->slots[slot]) {
        size_t number = map->slots[slot] - 1;

        if (map->hashes[number] == hash && memcmp(map_entry(map, number), key, map->key_size) == 0)
            break;
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return slot;
}

void *map_get(const struct map *map, const void *key)
{
    if (map->count == 0)
        return NULL;
    size_t slot = map_find(map, key, map_hash(key, map->key_size));

    return map->slots[slot] ? map_entry(map, map->slots[slot] - 1) + map->value_offset : NULL;
}

static void map_grow_slots(struct map *map)
{
    size_t slot_count = map->slot_count ? map->slot_count * 2 : MAP_SLOTS_FIRST;

    if (slot_count > (size_t)UINT32_MAX)
        fatal_out_of_memory(slot_count);
    free(map->slots);
    map->slots = memory_new(slot_count * sizeof *map->slots);
    map->slot_count = slot_count;
    for (size_t number = 0; number < map->count; number++) {
        size_t slot = (size_t)map->hashes[number] & (slot_count - 1);

        while (map->slots[slot])
            slot = (slot + 1) & (slot_count - 1);
        map->slots[slot] = (uint32_t)(number + 1);
    }
}

static void map_grow_entries(struct map *map)
{
    size_t capacity = map->capacity ? map->capacity + map->capacity / 2 : 8;

    map->entries = memory_grow(map->entries, capacity, map->stride ? map->stride : 1);
    map->hashes = memory_grow(map->hashes, capacity, sizeof *map->hashes);
    map->capacity = capacity;
}

void *map_put(struct map *map, const void *key, bool *added)
{
    if (map->count >= map->slot_count / 4 * 3)
        map_grow_slots(map);
    uint64_t hash = map_hash(key, map->key_size);
    size_t slot = map_find(map, key, hash);
    bool absent = map->slots[slot] == 0;

    if (absent) {
        if (map->count == map->capacity)
            map_grow_entries(map);
        unsigned char *entry = map_entry(map, map->count);

        memset(entry, 0, map->stride);
        memcpy(entry, key, map->key_size);
        map->hashes[map->count] = hash;
        map->slots[slot] = (uint32_t)++map->count;
    }
    if (added)
        *added = absent;
    return map_entry(map, map->slots[slot] - 1) + map->value_offset;
}

/* Empties a slot and moves those behind it up, so that no search meets a hole. */
static void map_empty_slot(struct map *map, size_t hole)
{
    size_t mask = map->slot_count - 1;

    for (size_t slot = (hole + 1) & mask; map->slots[slot]; slot = (slot + 1) & mask) {
        size_t home = (size_t)map->hashes[map->slots[slot] - 1] & mask;

        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            map->slots[hole] = map->slots[slot];
            hole = slot;
        }
    }
    map->slots[hole] = 0;
}

static size_t map_slot_of(const struct map *map, size_t number)
{
    size_t slot = (size_t)map->hashes[number] & (map->slot_count - 1);

    while (map->slots[slot] != number + 1)
        slot = (slot + 1) & (map->slot_count - 1);
    return slot;
}

static void map_remove_number(struct map *map, size_t number)
{
    size_t last = map->count - 1;

    map_empty_slot(map, map_slot_of(map, number));
    if (number != last) {
        map->slots[map_slot_of(map, last)] = (uint32_t)(number + 1);
        memcpy(map_entry(map, number), map_entry(map, last), map->stride);
        map->hashes[number] = map->hashes[last];
    }
    map->count--;
}

bool map_remove(struct map *map, const void *key)
{
    if (map->count == 0)
        return false;
    size_t slot = map_find(map, key, map_hash(key, map->key_size));

    if (map->slots[slot] == 0)
        return false;
    map_remove_number(map, map->slots[slot] - 1);
    return true;
}

bool map_next(const struct map *map, size_t *at, const void **key, void **value)
{
    if (*at >= map->count)
        return false;
    unsigned char *entry = map_entry(map, (*at)++);

    if (key)
        *key = entry;
    if (value)
        *value = entry + map->value_offset;
    return true;
}

void map_remove_if(struct map *map, bool (*drop)(const void *key, void *value, void *context),
                   void *context)
{
    /* From the end: the entry that fills a hole has been asked already. */
    for (size_t number = map->count; number-- > 0;) {
        unsigned char *entry = map_entry(map, number);

        if (drop(entry, entry + map->value_offset, context))
            map_remove_number(map, number);
    }
}

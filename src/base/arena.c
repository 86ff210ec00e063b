#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* Under AddressSanitizer what is not handed out is poisoned, so that a pointer kept over a reset is
 * found at its first use. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#endif
#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

enum {
    ARENA_ALIGNMENT = _Alignof(max_align_t),
    CHUNK_FIRST = 16 * 1024,
    CHUNK_SMALL = 2 * 1024,
    CHUNK_LARGE = 1024 * 1024
};

struct chunk {
    struct chunk *next;
    size_t size; /* of data */
    size_t used;
    _Alignas(max_align_t) unsigned char data[];
};

/* Chunks before and including `current` are in use, those after it are free. */
struct arena {
    struct chunk *first;
    struct chunk *current;
    size_t capacity;
    size_t next_size;
};

struct arena *arena_new(void)
{
    struct arena *arena = memory_new(sizeof *arena);

    arena->next_size = CHUNK_FIRST;
    return arena;
}

struct arena *arena_new_small(void)
{
    struct arena *arena = arena_new();

    arena->next_size = CHUNK_SMALL;
    return arena;
}

void arena_free(struct arena **arena)
{
    if (!*arena)
        return;
    for (struct chunk *chunk = (*arena)->first, *next; chunk; chunk = next) {
        next = chunk->next;
        ASAN_UNPOISON_MEMORY_REGION(chunk->data, chunk->size);
        free(chunk);
    }
    free(*arena);
    *arena = NULL;
}

void arena_reset(struct arena *arena)
{
    for (struct chunk *chunk = arena->first; chunk; chunk = chunk->next) {
        chunk->used = 0;
        ASAN_POISON_MEMORY_REGION(chunk->data, chunk->size);
    }
    arena->current = arena->first;
}

/* Sizes are powers of two, so that needs which grow a little from one use to the next do not add a
 * chunk each time. */
static struct chunk *chunk_new(struct arena *arena, size_t needed)
{
    size_t size = arena->next_size;

    while (size < needed) {
        if (size > SIZE_MAX / 4)
            fatal_out_of_memory(needed);
        size *= 2;
    }
    struct chunk *chunk = malloc(sizeof *chunk + size);

    if (!chunk)
        fatal_out_of_memory(size);
    chunk->next = NULL;
    chunk->size = size;
    chunk->used = 0;
    ASAN_POISON_MEMORY_REGION(chunk->data, size);
    arena->capacity += size;
    if (arena->next_size < CHUNK_LARGE)
        arena->next_size *= 2;
    return chunk;
}

static bool chunk_fits(const struct chunk *chunk, size_t size)
{
    return chunk->size - chunk->used >= size;
}

/* Makes a chunk current that has room: the first free one that fits is moved up, so that those too
 * small for this piece stay free for the next ones. */
static void arena_advance(struct arena *arena, size_t size)
{
    struct chunk **link = arena->current ? &arena->current->next : &arena->first;
    struct chunk **from = link;

    while (*from && !chunk_fits(*from, size))
        from = &(*from)->next;
    struct chunk *chunk = *from;

    if (chunk)
        *from = chunk->next;
    else
        chunk = chunk_new(arena, size);
    chunk->next = *link;
    *link = chunk;
    arena->current = chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        fatal_out_of_memory(size);
    size_t room = (size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;

    if (room == 0)
        room = ARENA_ALIGNMENT;
    if (!arena->current || !chunk_fits(arena->current, room))
        arena_advance(arena, room);

    unsigned char *piece = arena->current->data + arena->current->used;

    arena->current->used += room;
    ASAN_UNPOISON_MEMORY_REGION(piece, size);
    memset(piece, 0, size);
    return piece;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        fatal_out_of_memory(SIZE_MAX);
    return arena_alloc(arena, count * size);
}

char *arena_string(struct arena *arena, const char *bytes, size_t length)
{
    if (length == SIZE_MAX)
        fatal_out_of_memory(length);
    char *string = arena_alloc(arena, length + 1);

    if (length)
        memcpy(string, bytes, length);
    return string;
}

size_t arena_capacity(const struct arena *arena)
{
    return arena->capacity;
}

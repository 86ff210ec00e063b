/* An arena: memory that is handed out in small pieces and given back all at once. Allocation never
 * fails: running out of memory ends the program (base/fatal.h). Pieces are zeroed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
/* For little that is kept for long: its first piece of memory is small, not 16 KiB. */
struct arena *arena_new_small(void);
/* Frees the arena and sets the caller's pointer to NULL. NULL is allowed. */
void arena_free(struct arena **arena);
/* Forgets every piece and keeps the memory, so that the next use faults no pages. */
void arena_reset(struct arena *arena);

/* `size` bytes, zeroed, aligned for any type. size 0 gives a valid pointer. */
void *arena_alloc(struct arena *arena, size_t size);
/* count * size bytes, overflow-checked (an overflow ends the program). */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);
#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

/* A NUL-terminated copy of `length` bytes. */
char *arena_string(struct arena *arena, const char *bytes, size_t length);

/* Bytes held from the system now (used or not). */
size_t arena_capacity(const struct arena *arena);

#endif

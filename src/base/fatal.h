/* The one place where the program gives up: out of memory, or of descriptors. */
#ifndef BASE_FATAL_H
#define BASE_FATAL_H

#include <stddef.h>

/* Called before the message of fatal_out_of_memory(), for example to restore the terminal. Must be
 * async-signal-safe. NULL takes it away. */
void fatal_set_hook(void (*hook)(void));

/* One line to stderr, exit status 1. */
_Noreturn void fatal_out_of_memory(size_t wanted_bytes);

/* The same where not even the few descriptors without which nothing works can be had. */
_Noreturn void fatal_out_of_descriptors(void);

/* malloc and friends that never return NULL. realloc_array is overflow-checked; memory it adds is
 * not zeroed. */
void *memory_new(size_t size); /* zeroed */
void *memory_grow(void *old, size_t count, size_t size);

#endif

#include "base/fatal.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The only state of its kind: running out of memory can happen anywhere, with nothing passed in. */
static _Atomic(void (*)(void)) fatal_hook;

void fatal_set_hook(void (*hook)(void))
{
    atomic_store(&fatal_hook, hook);
}

static void run_hook(void)
{
    void (*hook)(void) = atomic_exchange(&fatal_hook, NULL);

    if (hook)
        hook();
}

void fatal_out_of_descriptors(void)
{
    run_hook();
    fputs("gputaskman: too few open files are allowed here; raise the limit (ulimit -n 256)\n",
          stderr);
    fflush(stderr);
    _Exit(EXIT_FAILURE);
}

void fatal_out_of_memory(size_t wanted_bytes)
{
    run_hook();
    fprintf(stderr, "gputaskman: out of memory (%llu bytes more were needed)\n",
            (unsigned long long)wanted_bytes);
    fflush(stderr);
    /* Not exit(): what is registered there may want memory, or a lock that this thread holds. */
    _Exit(EXIT_FAILURE);
}

void *memory_new(size_t size)
{
    void *memory = calloc(1, size ? size : 1);

    if (!memory)
        fatal_out_of_memory(size);
    return memory;
}

void *memory_grow(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        fatal_out_of_memory(SIZE_MAX);
    size_t wanted = count * size;
    void *memory = realloc(old, wanted ? wanted : 1);

    if (!memory)
        fatal_out_of_memory(wanted);
    return memory;
}

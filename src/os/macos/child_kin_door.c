#include "os/child_kin_door.h"

#include <string.h>

#include "base/fatal.h"
#include "os/macos/process_list_door.h"

int64_t child_parent_of(int64_t pid)
{
    struct arena *arena = arena_new_small();
    struct macos_process process;
    int64_t parent = macos_process_read(arena, pid, &process) ? process.parent_pid : 0;

    arena_free(&arena);
    return parent;
}

char *child_environment_of(int64_t pid, size_t *size)
{
    struct arena *arena = arena_new_small();
    struct process_arguments arguments;
    char *environment = NULL;

    *size = 0;
    if (macos_process_arguments(arena, pid, &arguments)) {
        *size = arguments.environment.length;
        environment = memory_new(*size + 1);
        memcpy(environment, arguments.environment.bytes, *size);
    }
    arena_free(&arena);
    return environment;
}

/* What tells whether a process comes from a command that was started (os/posix/child_door.c). */
#ifndef OS_CHILD_KIN_DOOR_H
#define OS_CHILD_KIN_DOOR_H

#include <stddef.h>
#include <stdint.h>

/* 0: not known. */
int64_t child_parent_of(int64_t pid);
/* NAME=VALUE, each with a NUL behind it; the caller frees. NULL: it may not be read. */
char *child_environment_of(int64_t pid, size_t *size);

#endif

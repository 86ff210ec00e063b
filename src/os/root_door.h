/* What differs between POSIX systems about a file tree (os/posix/root_door.c). */
#ifndef OS_ROOT_DOOR_H
#define OS_ROOT_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

/* True where the real tree has folders that must not be entered: its paths are then walked step by
 * step, and each step is asked about. */
bool root_door_guards(void);
/* `path` without a leading slash, links resolved: it and all below it are left alone. */
bool root_door_refuses(const char *path);
/* The device as the system's list of mapped files names it. */
uint64_t root_door_device(const struct stat *about);
bool root_door_modified_ns(const struct stat *about, int64_t *modified_ns);
/* The kernel's own answer to where `path` below the folder `top` leads, without leading slash.
 * False: it has none; it is walked by hand then. */
bool root_door_resolve(int top, const char *path, char *buffer, size_t size);

#endif

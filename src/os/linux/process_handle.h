/* The handles kept of a process: PID/stat, and one that tells its end. Each is tied to the process
 * and not to its number. */
#ifndef OS_LINUX_PROCESS_HANDLE_H
#define OS_LINUX_PROCESS_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/root.h"

struct process_handle {
    int stat, end; /* descriptors; -1: not kept */
};

#define PROCESS_HANDLE_NONE ((struct process_handle){-1, -1})

/* `open_count` is how many descriptors all handles together keep: never more than
 * PROCESS_HANDLES_MAX. */
enum { PROCESS_HANDLES_MAX = 512 };

void process_handle_close(struct process_handle *handle, size_t *open_count);
/* The text of PID/stat of the process that the handle is of; without one, of the process that has
 * the number now, whose handle is then kept. -1: that process is gone, and the handle is closed.
 * `watch_end` opens the second descriptor too. */
int64_t process_handle_read(struct process_handle *handle, size_t *open_count,
                            const struct root *root, int64_t pid, bool watch_end, char *text,
                            size_t size);

#endif

/* Of which processes details are read in one pass. */
#ifndef OS_LINUX_PROCESS_WANTED_H
#define OS_LINUX_PROCESS_WANTED_H

#include "os/machine.h"

struct wanted_pid {
    int64_t pid;
    bool asked, look_for_cuda;
    size_t device_file_count;
};

/* Everybody asked for and every holder of device files in the walk: once, ascending by pid, in the
 * arena. */
struct wanted_pid *processes_wanted(struct arena *arena, const struct system_request *request,
                                    const struct walk_reading *walk, size_t *count);

#endif

/* One line of /proc/PID/maps (proc_pid_maps(5)). Pure. */
#ifndef OS_LINUX_PROC_MAPS_H
#define OS_LINUX_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct proc_mapping {
    uint64_t start, end, offset;
    bool readable, writable, executable, shared;
    uint32_t device_major, device_minor;
    uint64_t inode;       /* 0: no file */
    struct raw_text path; /* points into the line; without " (deleted)"; empty: anonymous */
    bool deleted;
};

bool proc_mapping_parse(struct raw_text line, struct proc_mapping *mapping);
/* A path the kernel gave, without the " (deleted)" it appends to the name of a removed file; true
 * when that was there. */
bool path_strip_deleted(struct raw_text *path);
/* True for NVIDIA's driver library: libcuda.so, libcuda.so.1, libcuda.so.550.54 ... */
bool path_is_cuda_driver(struct raw_text path);

#endif

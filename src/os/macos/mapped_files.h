/* The files that a process has mapped, by a walk over its file-backed regions (proc_pidinfo flavor
 * 22, PROC_PIDREGIONPATHINFO2; xnu bsd/kern/proc_info.c): own processes, root: all. The kernel
 * names them; no file is opened. System frameworks live in the shared cache and are not among them.
 */
#ifndef OS_MACOS_MAPPED_FILES_H
#define OS_MACOS_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum macos_mapped_status {
    MACOS_MAPPED_OK,
    MACOS_MAPPED_DENIED,
    MACOS_MAPPED_GONE,
    MACOS_MAPPED_FAILED
};

struct macos_mapped_file {
    struct raw_text path;
    uint64_t device, inode; /* 0: unknown */
    uint64_t file_bytes;    /* size of the file (vst_size); 0: unknown */
    uint64_t mapped_bytes;  /* over all its regions */
    bool executable;        /* at least one region is: a program or library */
};

struct macos_mapped_files {
    enum macos_mapped_status status;
    const struct macos_mapped_file *files; /* one entry a file (device and inode, or path) */
    size_t count;
    bool cut; /* there are more */
};

enum { MACOS_MAPPED_REGIONS_MAX = 100000, MACOS_MAPPED_FILES_MAX = 4096 };

void macos_mapped_files_read(struct arena *arena, int64_t pid, struct macos_mapped_files *mapped);

#endif

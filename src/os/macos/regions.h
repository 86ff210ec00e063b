/* The walk over a process's file-backed regions (mapped_files.h), over whatever answers. */
#ifndef OS_MACOS_REGIONS_H
#define OS_MACOS_REGIONS_H

#include "os/macos/calls.h"
#include "os/macos/mapped_files.h"

/* As macos_mapped_files_read(). Ends where an answer makes no progress, and at
 * MACOS_MAPPED_REGIONS_MAX or MACOS_MAPPED_FILES_MAX, which is cut. */
void macos_regions_read(const struct macos_calls *calls, struct arena *arena, int64_t pid,
                        struct macos_mapped_files *mapped);

#endif

/* The modules and mapped files of a process. For doors. */
#ifndef OS_WINDOWS_PROCESS_FILES_DOOR_H
#define OS_WINDOWS_PROCESS_FILES_DOOR_H

#include <windows.h>

#include "base/arena.h"
#include "os/process_files.h"

/* Files from this size on are looked at: below it there are thousands, and no models. */
enum { MAPPED_BYTES_MIN = 16 * 1024 * 1024 };

/* `process` is open for PROCESS_QUERY_INFORMATION | PROCESS_VM_READ. Fills the mapped half of
 * *files; what is open is not to be seen on Windows. */
void process_files_door_read(HANDLE process, int64_t pid, struct arena *arena,
                             struct process_files *files);

#endif

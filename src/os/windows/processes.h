/* From the list of all processes to a reading of those that are asked for. Their details, which
 * cost a handle each, are asked at the first look and every 30 s, and kept by (pid, creation
 * time). */
#ifndef OS_WINDOWS_PROCESSES_H
#define OS_WINDOWS_PROCESSES_H

#include "os/windows/windows.h"

struct windows_processes;

struct windows_processes *windows_processes_new(void);
void windows_processes_free(struct windows_processes **processes);
/* Fills the processes, everyone and the missing pids of `reading`. */
void windows_processes_read(struct windows_processes *processes,
                            const struct windows_source *source, const struct machine *machine,
                            const struct pass *pass, const struct system_request *request,
                            struct system_reading *reading);

#endif

/* What else the process table's door reads of one process, for other doors of macOS. */
#ifndef OS_MACOS_PROCESS_LIST_DOOR_H
#define OS_MACOS_PROCESS_LIST_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "os/macos/process_arguments.h"
#include "os/macos/process_list.h"

/* KERN_PROC_PID. False: gone, or it may not be asked. */
bool macos_process_read(struct arena *arena, int64_t pid, struct macos_process *process);
/* Microseconds since 1970, without any memory; 0: gone or refused. */
int64_t macos_process_started_us(int64_t pid);
/* KERN_PROCARGS2; own processes, root: all. */
bool macos_process_arguments(struct arena *arena, int64_t pid, struct process_arguments *arguments);
/* proc_pidpath: anybody's; bytes NULL: unknown. */
struct raw_text macos_process_path(struct arena *arena, int64_t pid);

#endif

/* One record of the process table (KERN_PROC), as the kernel's bytes. */
#ifndef OS_MACOS_KINFO_H
#define OS_MACOS_KINFO_H

#include "os/macos/process_list.h"

/* Fills in who it is: pid, parent, uid, start, name (in the arena), zombie; everything else is
 * unknown. False: no process. `record` has KINFO_BYTES. */
bool kinfo_parse(struct arena *arena, const char *record, struct macos_process *process);
/* p_starttime in microseconds since 1970; 0: unknown. */
int64_t kinfo_started_us(const char *record);

#endif

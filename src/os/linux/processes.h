/* Details of single processes: names, command lines, times, memory. Facts that stay are read once a
 * process (its identity), again when it was renamed and every 30 s; times each pass. Portable over
 * os/root.h and process_door.h. */
#ifndef OS_LINUX_PROCESSES_H
#define OS_LINUX_PROCESSES_H

#include "os/machine.h"

struct processes;

struct processes *processes_new(void);
void processes_free(struct processes **processes);
/* Fills reading->processes (ascending by pid) with the holders of the walk in `reading` and with
 * the pids asked for, and reading->missing_pids with those that are not there. `boot_wall_ns`: 0
 * unknown. */
void processes_read(struct processes *processes, struct machine *machine, const struct pass *pass,
                    const struct system_request *request, int64_t boot_wall_ns,
                    struct system_reading *reading);

#endif

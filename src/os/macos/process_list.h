/* The process table of macOS as plain data: one sysctl (CTL_KERN, KERN_PROC, KERN_PROC_ALL) names
 * every user's processes without root. What only the owner (or root) may read of one is unknown
 * otherwise. The door is process_list_door.c; a recorded machine fills in the same.
 * Source: xnu bsd/sys/sysctl.h, bsd/sys/proc_info.h. */
#ifndef OS_MACOS_PROCESS_LIST_H
#define OS_MACOS_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "reading/measured.h"

struct macos_process {
    int64_t pid, parent_pid;
    uint32_t uid;         /* effective */
    int64_t started_us;   /* p_starttime, microseconds since 1970: with the pid its identity */
    struct raw_text name; /* p_comm, at most 16 bytes */
    struct raw_text user; /* name of `uid`; bytes NULL: unknown */
    struct raw_text path; /* proc_pidpath; bytes NULL: unknown. Read only where `details` asks */
    struct raw_text
        command; /* argv, each followed by a NUL (KERN_PROCARGS2); NULL: not permitted */
    struct measured cpu_time_ns, ram_bytes; /* proc_pid_rusage; own processes, root: all */
    bool zombie;
};

struct macos_process_list {
    bool read; /* false: the table could not be read (EPERM in a sandbox): unknown, not empty */
    uint32_t own_uid; /* effective uid of this program; 0 may see everything */
    bool sandboxed;   /* known to run in a sandbox that denies process information */
    const struct macos_process *processes;
    size_t count;
};

/* Which processes are read in detail (path, command, CPU, RAM, user): a pid that is in `pids`. */
struct macos_process_details {
    const int64_t *pids;
    size_t count;
};

/* All processes; strings live in `arena`. */
void macos_process_list_read(struct arena *arena, const struct macos_process_details *details,
                             struct macos_process_list *list);

#endif

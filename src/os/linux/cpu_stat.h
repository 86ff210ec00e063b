/* The text of /proc/stat (proc_stat(5)). Pure. */
#ifndef OS_LINUX_CPU_STAT_H
#define OS_LINUX_CPU_STAT_H

#include "base/text.h"
#include "reading/measured.h"

struct cpu_stat {
    /* Clock ticks of all CPUs together since boot. Waiting for a disk is idle time. Guest time is
     * part of user time and not counted again. */
    struct measured busy_ticks, total_ticks;
    int64_t cpu_count;           /* CPUs that are on; 0: not said */
    struct measured boot_wall_s; /* wall clock at boot, seconds since the epoch ("btime") */
};

void cpu_stat_parse(struct raw_text raw, struct cpu_stat *stat);

#endif

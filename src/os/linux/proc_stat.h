/* The text of /proc/PID/stat (proc_pid_stat(5)). Pure. */
#ifndef OS_LINUX_PROC_STAT_H
#define OS_LINUX_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct proc_stat {
    struct raw_text name; /* points into the text; may hold anything, ')' and line ends included */
    char state;           /* 'R', 'S', 'Z' ... */
    int64_t parent_pid;
    uint64_t flags; /* PF_* */
    uint64_t user_ticks, system_ticks;
    uint64_t start_stamp; /* clock ticks after boot: part of the identity */
    uint64_t address_space_bytes;
    int64_t resident_pages;
};

/* False when the text is cut or not a stat line. The name is taken up to the LAST ')'. */
bool proc_stat_parse(struct raw_text raw, struct proc_stat *stat);
/* PF_KTHREAD: a thread of the kernel itself, which holds no descriptors. */
bool proc_stat_is_kernel_thread(const struct proc_stat *stat);
/* Ended, waiting for its parent: holds nothing any more. */
bool proc_stat_is_zombie(const struct proc_stat *stat);

#endif

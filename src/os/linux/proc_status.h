/* The text of /proc/PID/status (proc_pid_status(5)), the few lines wanted. Pure. */
#ifndef OS_LINUX_PROC_STATUS_H
#define OS_LINUX_PROC_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/measured.h"

struct proc_status {
    bool has_user;
    uint64_t user;                  /* real user id */
    bool is_kernel_thread;          /* "Kthread: 1", Linux 6.8+ */
    struct measured resident_bytes; /* VmRSS */
};

/* Whatever is missing or malformed stays unknown. */
void proc_status_parse(struct raw_text raw, struct proc_status *status);

/* "  123 kB", as in status and meminfo, where kB means 1024 bytes. */
bool kilobytes_parse(struct raw_text raw, int64_t *bytes);

#endif

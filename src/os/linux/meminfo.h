/* The text of /proc/meminfo (proc_meminfo(5)). Pure. */
#ifndef OS_LINUX_MEMINFO_H
#define OS_LINUX_MEMINFO_H

#include "base/text.h"
#include "reading/measured.h"

struct meminfo {
    struct measured total_bytes;
    struct measured available_bytes; /* before Linux 3.14: free + buffers + cached */
    struct measured swap_total_bytes, swap_free_bytes;
};

void meminfo_parse(struct raw_text raw, struct meminfo *meminfo);

#endif

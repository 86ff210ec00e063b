/* What macOS says about the machine as a whole. The arithmetic is here, the calls are in
 * host_door.c. Source: xnu osfmk/mach/host_info.h, osfmk/mach/vm_statistics.h. */
#ifndef OS_MACOS_HOST_H
#define OS_MACOS_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/process.h"

enum { MACOS_CPU_STATES = 4, MACOS_CPU_IDLE = 2 }; /* user, system, idle, nice */

/* The kernel counts in 32 bits, all CPUs together: with 16 of them they wrap within a month. */
struct macos_ticks {
    bool started;
    uint32_t last[MACOS_CPU_STATES];
    uint64_t total[MACOS_CPU_STATES];
};
void macos_ticks_take(struct macos_ticks *ticks, const uint32_t now[MACOS_CPU_STATES],
                      struct host_reading *host);

/* Pages of host_statistics64(HOST_VM_INFO64). */
struct macos_pages {
    uint64_t internal, purgeable, wired, compressor, page_bytes;
};
/* What is not taken by programs, the kernel or the compressor (Activity Monitor's "used"): files'
 * pages can be given up. Unknown when they are more than there is. */
struct measured macos_available_bytes(const struct macos_pages *pages, int64_t total_bytes);

/* Kept for a run; host_door.c. */
struct macos_host;
struct macos_host *macos_host_new(void);
void macos_host_free(struct macos_host **host);
void macos_host_read(struct macos_host *macos, struct arena *arena, struct host_reading *host);

#endif

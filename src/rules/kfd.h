/* Processes that use AMD's compute driver (ROCm): their queues bypass the kernel's engine counters.
 *
 * Input: the walk (holders of /dev/kfd) and KFD's own list of processes. Output: who is one, and
 * KFD's own figure for its memory, a cross-check that is never added (SPEC section 5). KFD names
 * host pids: inside a pid namespace its list must not be given. */
#ifndef RULES_KFD_H
#define RULES_KFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/drm_client.h"
#include "reading/process.h"

struct kfd_seen {
    const struct walk_reading *walk; /* may be NULL */
    const struct kfd_process_reading *listed;
    size_t listed_count;
};

/* True for a holder of the device file and for a pid that KFD lists. `walked`: what the walk found
 * of this process; NULL: nothing. */
bool kfd_is_user(const struct kfd_seen *seen, const struct walked_process *walked,
                 struct identity identity);
/* KFD has a file for every GPU that a process acquired, usually all of them, and most hold 0: such
 * an entry names no use of its adapter while another entry of the process holds more. */
bool kfd_entry_is_empty(const struct kfd_seen *seen, const struct kfd_process_reading *entry);
/* KFD's figure for this local pid on this adapter; not_reported when its list has none. */
struct measured kfd_vram_bytes(const struct kfd_seen *seen, int64_t pid, const char *adapter_id);

#endif

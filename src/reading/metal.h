/* What macOS said about Metal clients and their processes at one moment: the backend's facts, no
 * policy. One accelerator is one adapter; who holds what of it is told by its clients, each of
 * which names the process that opened it. */
#ifndef READING_METAL_H
#define READING_METAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/identity.h"
#include "reading/measured.h"
#include "reading/pass.h"

enum metal_memory_source { METAL_MEMORY_NONE, METAL_MEMORY_LEDGER, METAL_MEMORY_FOOTPRINT };

/* Counters of one opened connection to an accelerator. */
struct metal_client_reading {
    size_t accelerator; /* in metal_reading.accelerators */
    uint64_t registry_id;
    size_t process;              /* in metal_reading.processes */
    struct measured gpu_time_ns; /* cumulative; call_failed, not_reported */
};

struct metal_accelerator_reading {
    char adapter_id[ADAPTER_ID_SIZE];
    uint64_t registry_id;  /* unique during a boot, as the clients' are */
    int64_t taken_ns;      /* running clock right after its clients were read */
    bool listing_complete; /* false: clients may be missing */
};

/* A process that some client names. Its stamp is unknown when the process table lacks it. */
struct metal_process_reading {
    struct identity identity;
    struct raw_text creator_name; /* as the kernel wrote it when the client was opened */
    struct raw_text name;         /* of the process table; bytes NULL: it is not in it */
    bool owner_known, is_own;     /* is_own: of our user, or we are root */
    struct measured memory_bytes; /* graphics memory: not_permitted, call_failed, starting ... */
    enum metal_memory_source memory_source;
    struct measured compressed_bytes; /* graphics memory that is compressed or swapped (ledger) */
    struct measured neural_bytes;     /* of the Neural Engine (ledger) */
};

struct metal_reading {
    const struct metal_accelerator_reading *accelerators;
    size_t accelerator_count;
    const struct metal_client_reading *clients;
    size_t client_count;
    const struct metal_process_reading *processes;
    size_t process_count;
    size_t nameless_clients;    /* whose creator names no process: they belong to nobody */
    struct measured unreadable; /* processes whose memory we may not read */
    bool ledger_denied;         /* some of them by a sandbox: sudo does not help */
};

#endif

/* What one refresh asks of the backends: now, one-shot or not, what is wanted, what may be touched.
 */
#ifndef READING_PASS_H
#define READING_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/identity.h"

/* Figures that cost something and are only read when somebody looks at them. */
struct wanted {
    bool pcie_rates;          /* NVML: 20 ms a direction */
    bool all_static;          /* one-shot and --list-gpus: read what else is read rarely */
    struct identity selected; /* the process the inspector shows; pid 0: none */
    /* CPU and RAM of a process that used no CPU time may be up to three refreshes and 3 s old. */
    bool idle_may_wait;
};

enum { PASS_TOUCH_MAX = 16, ADAPTER_ID_SIZE = 64 };

struct pass {
    uint64_t number;     /* of the sample in this run, from 0 */
    int64_t running_ns;  /* the running clock (stops in sleep) when the pass began */
    int64_t elapsed_ns;  /* the elapsed clock (goes on in sleep) */
    int64_t wall_ns;     /* wall clock, since the epoch, UTC */
    int64_t interval_ns; /* the planned refresh interval */
    bool after_gap;      /* sampling was paused before this pass: no rates are given over the gap */
    bool one_shot;       /* look at everything: one-shot output, the ends of a recording */
    bool goes_on;        /* more passes follow: what can only be noticed as it happens is watched */
    /* A vendor's library names no processes: who holds its device files is looked for. */
    bool look_for_holders;
    /* A machine or driver that does not answer in this time is given up for this pass (monotonic,
     * base/thread.h); INT64_MAX on a recorded machine. */
    int64_t deadline_ns;
    struct wanted wanted;
    /* Ids of sleeping adapters that the user selected and that may therefore be woken. */
    char touch[PASS_TOUCH_MAX][ADAPTER_ID_SIZE];
    size_t touch_count;
};

#endif

/* The live source: samples a machine, assembles, publishes. */
#ifndef SAMPLER_LIVE_H
#define SAMPLER_LIVE_H

#include "base/problem.h"
#include "os/machine.h"
#include "source/source.h"

enum { LIVE_SELECTORS_MAX = 16 };

struct live_options {
    int64_t interval_ns;
    /* Look at everything in every pass and wait for the drivers within their own bounds; few follow
     * each other. */
    bool one_shot;
    /* Take a sample only when SOURCE_REFRESH asks for one: no sample is ever missed by the asker.
     */
    bool on_request;
    bool hide_host_name;
    bool no_host, no_probe;
    int64_t inspected_pid; /* listed whether or not it uses a GPU; 0: none */
    struct wanted wanted;
    /* What the user selected: a sleeping adapter that one of these matches may be woken, and a
     * vendor's library is not started for others. The strings must outlive the source. */
    const char *selectors[LIVE_SELECTORS_MAX];
    size_t selector_count;
};

/* Starts sampling. Takes the machine, also on failure. */
struct source *live_open(struct machine *machine, const struct live_options *options,
                         struct problem *problem);

#endif

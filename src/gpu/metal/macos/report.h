/* IOReport: one subscription to the GPU's states and the chip's energy, one sample a call, and the
 * difference to the one before. */
#ifndef GPU_METAL_MACOS_REPORT_H
#define GPU_METAL_MACOS_REPORT_H

#include "gpu/metal/macos/frameworks.h"
#include "gpu/metal/metal_sample.h"

/* Zeroed: not subscribed yet. */
struct report {
    bool tried;
    const void *subscription;
    void *channels, *subscribed; /* owned */
    const void *last;            /* the previous sample, owned; NULL: none */
    int64_t last_ns;
};

/* Fills report_status, has_difference, elapsed_ns and the channels of `power`. */
void report_read(const struct frameworks *frameworks, struct report *report, struct arena *arena,
                 int64_t now_ns, struct metal_power *power);
void report_close(const struct frameworks *frameworks, struct report *report);

#endif

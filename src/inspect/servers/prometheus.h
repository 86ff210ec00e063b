/* The text that metrics endpoints answer (Prometheus exposition format, OpenMetrics too): samples,
 * one after the other. Pure. Lines that are no samples are passed over. */
#ifndef INSPECT_SERVERS_PROMETHEUS_H
#define INSPECT_SERVERS_PROMETHEUS_H

#include <stdbool.h>

#include "base/text.h"

struct prometheus_sample {
    struct raw_text name;   /* "vllm:num_requests_running" */
    struct raw_text labels; /* between the braces; empty when there are none */
    double value;           /* finite */
};

/* Takes the next sample off `rest`; false at the end. */
bool prometheus_next(struct raw_text *rest, struct prometheus_sample *sample);
/* The value of a label, escapes left as they are; false when there is no such label. */
bool prometheus_label(const struct prometheus_sample *sample, const char *label,
                      struct raw_text *value);

#endif

/* The texts with which sysfs describes a performance monitoring unit of the kernel
 * (/sys/bus/event_source/devices/NAME): pure.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}. */
#ifndef GPU_DRM_PMU_H
#define GPU_DRM_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* A field of perf_event_attr.config: bits first to last. */
struct pmu_field {
    unsigned first, last; /* at most 63 */
};

/* "config:20-27" or "config:3"; false for other words of the attribute and for anything else. */
bool pmu_parse_field(struct raw_text text, struct pmu_field *field);
/* Puts a value into the field; false when it does not fit. */
bool pmu_set_field(struct pmu_field field, uint64_t value, uint64_t *config);

/* One term of an event, "event=0x02" or "config=0x10": the value behind `key`. False when the text
 * has no such term. */
bool pmu_parse_term(struct raw_text text, const char *key, uint64_t *value);
/* "2.3283064365386962890625e-10": units a count. False for anything that is not such a positive
 * number. */
bool pmu_parse_scale(struct raw_text text, double *scale);
/* The first CPU of "0" or "0,18" or "0-3"; 0 for an empty text. */
int pmu_parse_cpu(struct raw_text text);

/* "rcs0-busy" and "ccs12-busy": the class without its number. False for other events. */
bool pmu_parse_busy_event(const char *name, char class_name[8]);

#endif

/* Energy and power of an Intel card from its two energy counters. Some cards never count the whole
 * card (its counter stays at 0, or at one value), so the one that moves is taken: two increasing
 * samples. Pure.
 *
 * Source: Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and -xe-hwmon (microjoules). */
#ifndef GPU_DRM_INTEL_ENERGY_H
#define GPU_DRM_INTEL_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#include "reading/measured.h"

enum intel_counter { INTEL_COUNTER_NONE, INTEL_COUNTER_CARD, INTEL_COUNTER_PACKAGE };

/* Zeroed at first. */
struct intel_energy {
    bool known;
    int64_t at_ns;
    struct measured card, package; /* of the last sample */
    enum intel_counter moving;     /* the card's once it has moved, else the package's */
};

struct intel_energy_seen {
    int64_t now_ns;
    struct measured card, package; /* microjoules; i915 has one counter, given as the card's */
};

/* Energy in microjoules, power in microwatts over the time since the last sample. */
struct intel_energy_said {
    struct said energy, power;
};

void intel_energy_step(struct intel_energy *energy, const struct intel_energy_seen *seen,
                       struct intel_energy_said *said);

#endif

/* Which generation of NVIDIA's kernel module speaks, by the driver's version. Only a tie-break:
 * what it does decides where that can be seen. Source: reference nvidia.md section 6 (the open
 * kernel module's history). Pure. */
#ifndef RULES_DRIVER_VERSION_H
#define RULES_DRIVER_VERSION_H

#include "rules/nvml_processes.h"

struct driver_version {
    uint32_t parts[3]; /* 570, 86, 15; all 0: unknown */
};

struct driver_version driver_version_of(const struct nvml_seen *nvml);
/* False where the version is unknown. */
bool driver_version_at_least(struct driver_version version, uint32_t major, uint32_t minor,
                             uint32_t patch);
/* Lists name pids of the caller's namespace from 535.113.01 on, samples from 570.86.15 on. */
bool driver_translates_lists(const struct nvml_seen *nvml);
bool driver_translates_samples(const struct nvml_seen *nvml);

#endif

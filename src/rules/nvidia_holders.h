/* Who holds an NVIDIA GPU's device files (/dev/nvidia0, its DRM nodes) where NVML names no
 * processes: it is off, failed, hangs, or refused a list. What such a process has there is unknown,
 * but that it is there is a fact (SPEC section 4: a process appears when its descriptors may be
 * read).
 *
 * Input: NVML's newest reading, the adapters, the walk. Whose file it is tells its minor number,
 * which NVML or the driver's own file names, or sysfs for DRM nodes; with one GPU left there is no
 * doubt. */
#ifndef RULES_NVIDIA_HOLDERS_H
#define RULES_NVIDIA_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/adapter.h"
#include "reading/process.h"
#include "reading/reading.h"

enum { NVIDIA_DEVICE_FILES_MAJOR = 195 };

/* Whether holders are to be looked for in the next refresh. `before`: whether they were in the last
 * one, which holds on while a driver is only starting again. */
bool nvidia_holders_wanted(const struct reading *nvml, bool before);

/* True for a GPU whose lists are unknown; a lost one, or one without a driver, is not there to be
 * held. */
bool nvidia_holders_matter(const struct adapter_reading *adapter);
/* Why what such a holder has is unknown. */
enum reason nvidia_holders_why(const struct adapter_reading *adapter);

enum nvidia_place {
    NVIDIA_PLACE_NONE, /* the file of no GPU that is listed */
    NVIDIA_PLACE_FOUND,
    NVIDIA_PLACE_UNKNOWN, /* of one of several */
};
/* Of which adapter a device file is: adapter_at(i) for i < count, *found. */
enum nvidia_place
nvidia_holders_place(const struct device_file *file,
                     const struct adapter_reading *(*adapter_at)(const void *context, size_t i),
                     const void *context, size_t count, size_t *found);

#endif

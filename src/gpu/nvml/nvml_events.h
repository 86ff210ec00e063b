/* Xid errors, from NVML's event set: what happens to a device after it was registered, told once.
 * Nothing is waited for. A set lives as long as its library. */
#ifndef GPU_NVML_EVENTS_H
#define GPU_NVML_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/nvml/nvml_device.h"

struct nvml_events {
    void *set; /* NULL: none */
    int code;  /* why there is none; 0: not asked for yet */
};

/* Begins to watch a device that has a handle, unless that was tried with this handle. */
void nvml_events_watch(struct nvml_events *events, struct nvml_calls *library,
                       struct nvml_device *device);
/* Takes what has happened since the last time; notes each device's newest Xid. */
void nvml_events_read(struct nvml_events *events, struct nvml_calls *library,
                      struct nvml_device *const *devices, size_t count);
/* Gives the set back; before the library is closed. */
void nvml_events_close(struct nvml_events *events, struct nvml_calls *library);

/* Fills in the newest Xid since the device is watched and how many there were, 0 for none; unknown
 * when it cannot be watched, or is not yet. */
void nvml_events_say(const struct nvml_events *events, struct nvml_device *device);

#endif

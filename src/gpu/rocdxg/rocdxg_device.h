/* One AMD GPU as librocdxg tells it. */
#ifndef GPU_ROCDXG_DEVICE_H
#define GPU_ROCDXG_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/rocdxg/rocdxg_library.h"
#include "reading/adapter.h"

struct rocdxg_device {
    uint32_t node;
    int32_t index;
    struct rocdxg_device_info info; /* texts of `said` are in it */
    int64_t slow_at_ns;             /* running clock; INT64_MIN: never */
    struct adapter_reading said;
};

/* Reads what never changes. */
void rocdxg_device_start(struct rocdxg_device *device, const struct rocdxg_library *library,
                         uint32_t node, int32_t index);
/* Asks what is due and fills `said`. `everything`: whatever was read when. */
void rocdxg_device_read(struct rocdxg_device *device, const struct rocdxg_library *library,
                        int64_t now_ns, bool everything);

/* Brings what an older library wrote to the places of the newer one. False when it is neither: then
 * nothing of it counts. */
bool rocdxg_device_info_align(struct rocdxg_device_info *info);

/* A sensor's value times `scale`; unknown where the card has no such sensor, or where the value,
 * above `largest`, cannot be true. */
struct said rocdxg_sensor(int code, uint32_t value, int64_t scale, uint32_t largest, enum how how);

#endif

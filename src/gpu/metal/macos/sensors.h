/* Temperatures of the GPU: keys of the system management controller, which all chips have since
 * macOS 14, or sensors of the HID system, as on the first ones. Sensors are listed once. */
#ifndef GPU_METAL_MACOS_SENSORS_H
#define GPU_METAL_MACOS_SENSORS_H

#include "gpu/metal/macos/frameworks.h"
#include "gpu/metal/metal_sample.h"

enum { SMC_KEYS_MAX = 16384 };

/* Zeroed: not opened yet. */
struct smc {
    bool tried;
    uint32_t connection; /* 0: none */
    enum metal_status status;
    uint32_t keys[METAL_SENSORS_MAX];
    size_t key_count;
};

struct hid {
    bool tried;
    void *client;         /* owned */
    const void *services; /* owned array */
    enum metal_status status;
    intptr_t places[METAL_SENSORS_MAX]; /* in the array */
    size_t place_count;
};

/* What is there goes into `sensors` (METAL_SENSORS_MAX) with names in the arena. */
enum metal_status smc_read(const struct frameworks *frameworks, struct smc *smc,
                           struct arena *arena, struct metal_sensor *sensors, size_t *count);
void smc_close(const struct frameworks *frameworks, struct smc *smc);
enum metal_status hid_read(const struct frameworks *frameworks, struct hid *hid,
                           struct arena *arena, struct metal_sensor *sensors, size_t *count);
void hid_close(const struct frameworks *frameworks, struct hid *hid);

/* Degrees as thousandths; false: no finite number, or far outside of what a sensor can say. */
bool sensor_millicelsius(double celsius, int64_t *millicelsius);

#endif

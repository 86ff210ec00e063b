/* The sensors of one GPU in its hwmon folder. They are found by label: the numbers shift between
 * drivers and parts. Which ones there are is found out once; the values are read each time, from
 * files that stay open. Both wake a sleeping card. */
#ifndef GPU_DRM_HWMON_H
#define GPU_DRM_HWMON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/drm/sysfs.h"
#include "reading/adapter.h"

enum { HWMON_FANS_MAX = 4 };

/* Numbers are those of the files (temp2_input: 2); 0: there is none. */
struct hwmon {
    char folder[SYSFS_PATH_SIZE]; /* "" when there is none */
    uint8_t temperature[TEMPERATURE_COUNT];
    uint8_t power;          /* the channel shown */
    bool power_has_average; /* powerN_average, before powerN_input */
    bool power_has_input;
    uint8_t power_limit; /* channel of the limit */
    bool limit_is_cap;   /* powerN_cap (amdgpu), else powerN_max (Intel's sustained limit) */
    uint8_t energy_card, energy_package;
    uint8_t frequency_graphics, frequency_memory;
    uint8_t fans[HWMON_FANS_MAX];
    uint8_t fan_count;
    bool has_pwm;
    int64_t pwm_full;             /* pwm1_max: 100 percent */
    bool has_northbridge_voltage; /* in1_label vddnb: only on APUs */
};

/* Looks for the folder below a device's and at its labels: that whose `name` is the driver's, else
 * the first (i915 has one more for each tile). */
void hwmon_discover(const struct root *root, struct arena *scratch, const char *device_folder,
                    const char *driver, bool eperm_is_asleep, struct hwmon *hwmon);

/* Reads temperatures, power and its limit, clocks (where labelled), fans. What there is no sensor
 * for stays as it is in *out. */
void hwmon_read(const struct root *root, struct sysfs_files *files, const struct hwmon *hwmon,
                bool eperm_is_asleep, struct adapter_reading *out);
/* One energy counter in microjoules, by channel. */
struct measured hwmon_energy(const struct root *root, struct sysfs_files *files,
                             const struct hwmon *hwmon, uint8_t channel);

#endif

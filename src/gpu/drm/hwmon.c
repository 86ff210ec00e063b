#include "gpu/drm/hwmon.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/lines.h"

enum { CHANNELS_MAX = 32, NAMES_MAX = 512, FILE_NAME_SIZE = 48 };

struct label_rule {
    const char *kind;  /* "temp" */
    const char *label; /* "edge" */
    size_t offset;     /* of the channel in struct hwmon */
};

#define AT(member) offsetof(struct hwmon, member)

/* amdgpu: edge junction mem, PPT slowPPT fastPPT, sclk mclk; xe: pkg vram, card pkg. The first rule
 * that matches a sensor of the machine wins its place. */
static const struct label_rule label_rules[] = {
    {"temp", "edge", AT(temperature[TEMPERATURE_EDGE])},
    {"temp", "pkg", AT(temperature[TEMPERATURE_EDGE])},
    {"temp", "junction", AT(temperature[TEMPERATURE_HOTSPOT])},
    {"temp", "mem", AT(temperature[TEMPERATURE_MEMORY])},
    {"temp", "vram", AT(temperature[TEMPERATURE_MEMORY])},
    {"power", "PPT", AT(power)},
    {"power", "slowPPT", AT(power)},
    {"power", "card", AT(power)},
    {"power", "pkg", AT(power)},
    {"power", "fastPPT", AT(power)},
    {"energy", "card", AT(energy_card)},
    {"energy", "pkg", AT(energy_package)},
    {"freq", "sclk", AT(frequency_graphics)},
    {"freq", "mclk", AT(frequency_memory)},
};

enum { LABEL_RULE_COUNT = sizeof label_rules / sizeof label_rules[0] };

struct names {
    char **items;
    size_t count;
};

static bool has_file(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_channel_file(const struct names *names, const char *kind, unsigned channel,
                             const char *tail)
{
    char name[FILE_NAME_SIZE];
    snprintf(name, sizeof name, "%s%u_%s", kind, channel, tail);
    return has_file(names, name);
}

/* The first channel with such a file, where a driver gives no labels; 0: none. */
static uint8_t first_channel(const struct names *names, const char *kind, const char *tail)
{
    for (unsigned channel = 1; channel < CHANNELS_MAX; channel++) {
        if (has_channel_file(names, kind, channel, tail)) {
            return (uint8_t)channel;
        }
    }
    return 0;
}

/* Labels of one kind of sensor, by channel, put into the places of the rules in the rules' order.
 */
static void place_labels(const struct sysfs_folder *folder, const struct names *names,
                         const char *kind, struct hwmon *hwmon)
{
    char labels[CHANNELS_MAX][FILE_NAME_SIZE] = {{0}};
    for (unsigned channel = 1; channel < CHANNELS_MAX; channel++) {
        char file[FILE_NAME_SIZE], buffer[FILE_NAME_SIZE];
        if (!has_channel_file(names, kind, channel, "label")) {
            continue;
        }
        snprintf(file, sizeof file, "%s%u_label", kind, channel);
        struct raw_text label = sysfs_text(folder, file, buffer, sizeof buffer, NULL);
        if (label.bytes != NULL && label.length < FILE_NAME_SIZE) {
            memcpy(labels[channel], label.bytes, label.length);
        }
    }
    for (size_t i = 0; i < LABEL_RULE_COUNT; i++) {
        uint8_t *place = (uint8_t *)hwmon + label_rules[i].offset;
        for (uint8_t channel = 1; channel < CHANNELS_MAX && *place == 0; channel++) {
            if (strcmp(label_rules[i].kind, kind) == 0 &&
                strcmp(label_rules[i].label, labels[channel]) == 0) {
                *place = channel;
            }
        }
    }
}

static void find_power(const struct names *names, struct hwmon *hwmon)
{
    if (hwmon->power == 0) {
        hwmon->power = first_channel(names, "power", "average");
    }
    if (hwmon->power == 0) {
        hwmon->power = first_channel(names, "power", "input");
    }
    hwmon->power_has_average = has_channel_file(names, "power", hwmon->power, "average");
    hwmon->power_has_input = has_channel_file(names, "power", hwmon->power, "input");
    hwmon->limit_is_cap = hwmon->power != 0 &&
                          (hwmon->power_has_average || hwmon->power_has_input) &&
                          has_channel_file(names, "power", hwmon->power, "cap");
    hwmon->power_limit = hwmon->limit_is_cap ? hwmon->power : first_channel(names, "power", "max");
}

static void find_fans(const struct sysfs_folder *folder, const struct names *names,
                      struct hwmon *hwmon)
{
    for (unsigned channel = 1; channel <= HWMON_FANS_MAX; channel++) {
        if (has_channel_file(names, "fan", channel, "input")) {
            hwmon->fans[hwmon->fan_count++] = (uint8_t)channel;
        }
    }
    hwmon->has_pwm = has_file(names, "pwm1");
    struct measured full = measured_unknown(REASON_not_reported);
    if (hwmon->has_pwm && has_file(names, "pwm1_max")) {
        full = sysfs_number(folder, "pwm1_max");
    }
    bool credible = full.known && full.value > 0 && full.value <= INT32_MAX;
    hwmon->pwm_full = credible ? full.value : 255;
}

static void discover_in(const struct sysfs_folder *folder, const struct names *names,
                        struct hwmon *hwmon)
{
    static const char *const kinds[] = {"temp", "power", "energy", "freq"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        place_labels(folder, names, kinds[i], hwmon);
    }
    bool labelled = false;
    for (unsigned channel = 1; channel < CHANNELS_MAX; channel++) {
        labelled = labelled || has_channel_file(names, "temp", channel, "label");
    }
    /* radeon, nouveau and i915 have one temperature and no label. */
    if (!labelled) {
        hwmon->temperature[TEMPERATURE_EDGE] = first_channel(names, "temp", "input");
    }
    if (hwmon->frequency_graphics == 0 && hwmon->frequency_memory == 0) {
        hwmon->frequency_graphics = first_channel(names, "freq", "input");
    }
    if (hwmon->energy_card == 0 && hwmon->energy_package == 0) {
        hwmon->energy_card = first_channel(names, "energy", "input");
    }
    find_power(names, hwmon);
    find_fans(folder, names, hwmon);
    char buffer[FILE_NAME_SIZE];
    if (has_file(names, "in1_label")) {
        struct raw_text label = sysfs_text(folder, "in1_label", buffer, sizeof buffer, NULL);
        hwmon->has_northbridge_voltage = raw_equal_string(label, "vddnb");
    }
}

static bool is_named(const struct root *root, const char *folder_path, const char *driver)
{
    char buffer[FILE_NAME_SIZE];
    struct sysfs_folder folder = {.root = root, .path = folder_path};
    struct raw_text name = sysfs_text(&folder, "name", buffer, sizeof buffer, NULL);
    return name.bytes != NULL && raw_equal_string(name, driver);
}

/* The folder to read, or "". */
static void find_folder(const struct root *root, const char *parent, const char *driver,
                        const struct names *folders, char out[SYSFS_PATH_SIZE])
{
    out[0] = '\0';
    for (size_t i = 0; i < folders->count; i++) {
        char path[SYSFS_PATH_SIZE];
        if (strncmp(folders->items[i], "hwmon", 5) != 0 ||
            !sysfs_path(path, parent, folders->items[i])) {
            continue;
        }
        bool named = is_named(root, path, driver);
        if (named || out[0] == '\0') {
            snprintf(out, SYSFS_PATH_SIZE, "%s", path);
        }
        if (named) {
            return;
        }
    }
}

void hwmon_discover(const struct root *root, struct arena *scratch, const char *device_folder,
                    const char *driver, bool eperm_is_asleep, struct hwmon *hwmon)
{
    *hwmon = (struct hwmon){0};
    char parent[SYSFS_PATH_SIZE];
    struct names folders = {0}, names = {0};
    if (!sysfs_path(parent, device_folder, "hwmon") ||
        root_list(root, scratch, parent, NAMES_MAX, &folders.items, &folders.count) != ROOT_OK) {
        return;
    }
    find_folder(root, parent, driver, &folders, hwmon->folder);
    if (hwmon->folder[0] == '\0' ||
        root_list(root, scratch, hwmon->folder, NAMES_MAX, &names.items, &names.count) != ROOT_OK) {
        hwmon->folder[0] = '\0';
        return;
    }
    struct sysfs_folder folder = {root, hwmon->folder, eperm_is_asleep, NULL};
    discover_in(&folder, &names, hwmon);
}

static struct measured read_channel(const struct sysfs_folder *folder, const char *kind,
                                    unsigned channel, const char *tail)
{
    char file[FILE_NAME_SIZE];
    snprintf(file, sizeof file, "%s%u_%s", kind, channel, tail);
    return sysfs_number(folder, file);
}

static void read_power(const struct sysfs_folder *folder, const struct hwmon *hwmon,
                       struct adapter_reading *out)
{
    struct measured power = measured_unknown(REASON_not_reported);
    if (hwmon->power_has_average) {
        power = read_channel(folder, "power", hwmon->power, "average");
    }
    if (!power.known && power.why_not != REASON_device_suspended && hwmon->power_has_input) {
        power = read_channel(folder, "power", hwmon->power, "input");
    }
    if (hwmon->power_has_average || hwmon->power_has_input) {
        out->power_microwatts = sysfs_power(power);
    }
    if (hwmon->power_limit != 0) {
        struct measured limit =
            read_channel(folder, "power", hwmon->power_limit, hwmon->limit_is_cap ? "cap" : "max");
        /* Intel: 0 means that the limit is off. */
        if (limit.known && limit.value == 0) {
            limit = measured_unknown(REASON_not_reported);
        }
        out->power_limit_microwatts = sysfs_power(limit);
    }
}

/* A header without a fan reads 0 while another one spins: the fastest counts. */
static void read_fans(const struct sysfs_folder *folder, const struct hwmon *hwmon,
                      struct adapter_reading *out)
{
    for (uint8_t i = 0; i < hwmon->fan_count; i++) {
        struct said fan = sysfs_fan(read_channel(folder, "fan", hwmon->fans[i], "input"));
        if (i == 0 || (fan.how != HOW_UNAVAILABLE &&
                       (out->fan_rpm.how == HOW_UNAVAILABLE || fan.value > out->fan_rpm.value))) {
            out->fan_rpm = fan;
        }
    }
    if (!hwmon->has_pwm) {
        return;
    }
    struct measured pwm = sysfs_number(folder, "pwm1");
    if (!pwm.known) {
        out->fan_millipercent = said_unknown(pwm.why_not);
    } else if (pwm.value < 0 || pwm.value > hwmon->pwm_full) {
        out->fan_millipercent = said_unknown(REASON_incredible_value);
    } else {
        out->fan_millipercent = said_measured(pwm.value * 100000 / hwmon->pwm_full);
    }
}

void hwmon_read(const struct root *root, struct sysfs_files *files, const struct hwmon *hwmon,
                bool eperm_is_asleep, struct adapter_reading *out)
{
    if (hwmon->folder[0] == '\0') {
        return;
    }
    struct sysfs_folder folder = {root, hwmon->folder, eperm_is_asleep, files};
    for (int sensor = 0; sensor < TEMPERATURE_COUNT; sensor++) {
        if (hwmon->temperature[sensor] != 0) {
            out->temperature_millicelsius[sensor] = sysfs_temperature(
                read_channel(&folder, "temp", hwmon->temperature[sensor], "input"));
        }
    }
    if (hwmon->frequency_graphics != 0) {
        out->clock_hz[CLOCK_GRAPHICS] =
            sysfs_frequency(read_channel(&folder, "freq", hwmon->frequency_graphics, "input"), 1);
    }
    if (hwmon->frequency_memory != 0) {
        out->clock_hz[CLOCK_MEMORY] =
            sysfs_frequency(read_channel(&folder, "freq", hwmon->frequency_memory, "input"), 1);
    }
    read_power(&folder, hwmon, out);
    read_fans(&folder, hwmon, out);
}

struct measured hwmon_energy(const struct root *root, struct sysfs_files *files,
                             const struct hwmon *hwmon, uint8_t channel)
{
    if (hwmon->folder[0] == '\0' || channel == 0) {
        return measured_unknown(REASON_not_reported);
    }
    struct sysfs_folder folder = {.root = root, .path = hwmon->folder, .files = files};
    struct measured energy = read_channel(&folder, "energy", channel, "input");
    return energy.known && energy.value < 0 ? measured_unknown(REASON_incredible_value) : energy;
}

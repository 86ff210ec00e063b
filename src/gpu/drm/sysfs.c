#include "gpu/drm/sysfs.h"

#include <errno.h>
#include <stdio.h>

#include "base/lines.h"
#include "base/number.h"

enum { PERCENT_MAX = 100, FAN_MAX_RPM = 65534 };

static const int64_t temperature_min_millicelsius = -40 * 1000;
static const int64_t temperature_max_millicelsius = 150 * 1000;
static const int64_t power_max_microwatts = INT64_C(4000) * 1000000;
static const int64_t power_sentinel_microwatts = 65535 * 1000; /* 0xFFFF milliwatts, scaled */
static const int64_t temperature_sentinel = 65535;             /* no sensor counts in such steps */
static const int64_t frequency_max_hz = INT64_C(10) * 1000 * 1000 * 1000;

bool sysfs_path(char out[SYSFS_PATH_SIZE], const char *folder, const char *file)
{
    int length = snprintf(out, SYSFS_PATH_SIZE, "%s/%s", folder, file);
    return length > 0 && length < SYSFS_PATH_SIZE;
}

enum reason sysfs_reason(enum root_result result, int error, bool eperm_is_asleep)
{
    switch (result) {
    case ROOT_OK:
    case ROOT_ABSENT:
        return REASON_not_reported;
    case ROOT_DENIED:
        return eperm_is_asleep && error == EPERM ? REASON_device_suspended : REASON_not_permitted;
    case ROOT_TRUNCATED:
        return REASON_call_failed;
    case ROOT_FAILED:
        break;
    }
    return error == EINVAL || error == EOPNOTSUPP || error == ENOTSUP || error == ENODATA
               ? REASON_not_supported
               : REASON_call_failed;
}

struct raw_text sysfs_text(const struct sysfs_folder *folder, const char *file, char *buffer,
                           size_t size, enum reason *why)
{
    size_t length = 0;
    int error = 0;
    enum root_result result = sysfs_read(folder, file, buffer, size, &length, &error);
    if (result != ROOT_OK) {
        if (why != NULL) {
            *why = sysfs_reason(result, error, folder->eperm_is_asleep);
        }
        return (struct raw_text){NULL, 0};
    }
    return raw_trim((struct raw_text){buffer, length});
}

struct measured sysfs_parse_number(struct raw_text text)
{
    text = raw_trim(text);
    if (text.length == 0) {
        return measured_unknown(REASON_not_reported);
    }
    int64_t value;
    if (number_parse_i64(text, &value, NULL)) {
        return measured_known(value);
    }
    size_t digits = text.bytes[0] == '-' ? 1 : 0;
    bool all_digits = digits < text.length;
    for (; digits < text.length; digits++) {
        all_digits = all_digits && text.bytes[digits] >= '0' && text.bytes[digits] <= '9';
    }
    return measured_unknown(all_digits ? REASON_incredible_value : REASON_call_failed);
}

struct measured sysfs_number(const struct sysfs_folder *folder, const char *file)
{
    char buffer[64];
    enum reason why = REASON_not_reported;
    struct raw_text text = sysfs_text(folder, file, buffer, sizeof buffer, &why);
    return text.bytes == NULL ? measured_unknown(why) : sysfs_parse_number(text);
}

static struct said within(struct measured value, int64_t low, int64_t high, int64_t unit,
                          enum how how)
{
    if (!value.known) {
        return said_unknown(value.why_not);
    }
    if (value.value < low || value.value > high) {
        return said_unknown(REASON_incredible_value);
    }
    return said_value(value.value * unit, how);
}

struct said sysfs_percent(struct measured percent, enum how how)
{
    return within(percent, 0, PERCENT_MAX, 1000, how);
}

struct said sysfs_temperature(struct measured millicelsius)
{
    if (millicelsius.known && millicelsius.value == temperature_sentinel) {
        return said_unknown(REASON_incredible_value);
    }
    return within(millicelsius, temperature_min_millicelsius, temperature_max_millicelsius, 1,
                  HOW_MEASURED);
}

struct said sysfs_power(struct measured microwatts)
{
    if (microwatts.known && microwatts.value == power_sentinel_microwatts) {
        return said_unknown(REASON_incredible_value);
    }
    return within(microwatts, 0, power_max_microwatts, 1, HOW_MEASURED);
}

struct said sysfs_frequency(struct measured value, int64_t unit_hz)
{
    if (value.known && value.value == UINT32_MAX) {
        return said_unknown(REASON_incredible_value);
    }
    return within(value, 0, frequency_max_hz / unit_hz, unit_hz, HOW_MEASURED);
}

struct said sysfs_fan(struct measured rpm)
{
    return within(rpm, 0, FAN_MAX_RPM, 1, HOW_MEASURED);
}

#include "gpu/drm/dpm.h"

#include "base/lines.h"
#include "base/number.h"

void dpm_parse(struct raw_text table, struct dpm *dpm)
{
    *dpm = (struct dpm){0};
    struct raw_text line;
    bool disagree = false;
    while (lines_next(&table, &line)) {
        struct raw_text level, rest;
        uint64_t mhz;
        size_t digits;
        if (!raw_split(line, ':', &level, &rest)) {
            continue;
        }
        rest = raw_trim(rest);
        if (!number_parse_u64(rest, &mhz, &digits) || mhz > INT32_MAX) {
            continue;
        }
        struct raw_text tail = {rest.bytes + digits, rest.length - digits};
        if (!raw_starts_with(tail, "Mhz") && !raw_starts_with(tail, "MHz")) {
            continue;
        }
        struct measured value = measured_known((int64_t)mhz);
        if (!dpm->highest_mhz.known || value.value > dpm->highest_mhz.value) {
            dpm->highest_mhz = value;
        }
        if (tail.bytes[tail.length - 1] == '*') {
            disagree =
                disagree || (dpm->current_mhz.known && dpm->current_mhz.value != value.value);
            dpm->current_mhz = value;
        }
    }
    if (disagree) {
        dpm->current_mhz = measured_unknown(REASON_not_reported);
    }
}

#include "os/linux/proc_status.h"

#include "base/lines.h"
#include "base/number.h"

bool kilobytes_parse(struct raw_text raw, int64_t *bytes)
{
    struct raw_text number, unit;
    uint64_t count;
    if (!words_next(&raw, &number) || !number_parse_u64(number, &count, NULL) ||
        count > INT64_MAX / 1024)
        return false;
    if (!words_next(&raw, &unit) || !raw_equal_string(unit, "kB"))
        return false;
    *bytes = (int64_t)(count * 1024);
    return true;
}

static void take_line(struct raw_text key, struct raw_text value, struct proc_status *status)
{
    struct raw_text word;
    int64_t bytes;
    if (raw_equal_string(key, "Uid")) {
        status->has_user = words_next(&value, &word) && number_parse_u64(word, &status->user, NULL);
    } else if (raw_equal_string(key, "Kthread")) {
        status->is_kernel_thread = raw_equal_string(raw_trim(value), "1");
    } else if (raw_equal_string(key, "VmRSS") && kilobytes_parse(value, &bytes)) {
        status->resident_bytes = measured_known(bytes);
    }
}

void proc_status_parse(struct raw_text raw, struct proc_status *status)
{
    struct raw_text line, key, value;
    *status = (struct proc_status){.resident_bytes = measured_unknown(REASON_not_reported)};
    while (lines_next(&raw, &line))
        if (raw_split(line, ':', &key, &value))
            take_line(key, value, status);
}

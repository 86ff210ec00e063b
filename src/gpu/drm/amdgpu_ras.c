#include "gpu/drm/amdgpu_ras.h"

#include "base/lines.h"

static const int64_t patience_ns = INT64_C(30) * 1000000000;

static struct said count_of(struct raw_text value)
{
    struct measured count = sysfs_parse_number(value);
    if (!count.known) {
        return said_unknown(count.why_not);
    }
    return count.value >= 0 ? said_measured(count.value) : said_unknown(REASON_incredible_value);
}

void amdgpu_ras_parse(struct raw_text text, struct said *corrected, struct said *uncorrected)
{
    struct raw_text line, key, value;
    *corrected = *uncorrected = said_unknown(REASON_not_reported);
    while (lines_next(&text, &line)) {
        if (!raw_split(line, ':', &key, &value)) {
            continue;
        }
        if (raw_equal_string(raw_trim(key), "ce")) {
            *corrected = count_of(value);
        } else if (raw_equal_string(raw_trim(key), "ue")) {
            *uncorrected = count_of(value);
        }
    }
}

void amdgpu_ras_read(struct amdgpu_ras *ras, const struct sysfs_folder *device, int64_t now_ns,
                     struct adapter_reading *out)
{
    char buffer[128];
    enum reason why = REASON_not_reported;
    int64_t age_ns = now_ns - ras->read_at_ns;
    if (!ras->was_read || age_ns < 0 || age_ns >= patience_ns || root_is_recorded(device->root)) {
        struct raw_text text = sysfs_text(device, "ras/umc_err_count", buffer, sizeof buffer, &why);
        amdgpu_ras_parse(text, &ras->corrected, &ras->uncorrected);
        if (text.bytes == NULL) {
            ras->corrected = ras->uncorrected = said_unknown(why);
        }
        ras->was_read = true;
        ras->read_at_ns = now_ns;
    }
    out->ecc_corrected = ras->corrected;
    out->ecc_uncorrected = ras->uncorrected;
}

#include "os/linux/meminfo.h"

#include "base/lines.h"
#include "base/number.h"
#include "os/linux/proc_status.h"

enum { TOTAL, AVAILABLE, FREE, BUFFERS, CACHED, SWAP_TOTAL, SWAP_FREE, LINE_COUNT };

static const char *const line_names[LINE_COUNT] = {
    "MemTotal", "MemAvailable", "MemFree", "Buffers", "Cached", "SwapTotal", "SwapFree",
};

void meminfo_parse(struct raw_text raw, struct meminfo *meminfo)
{
    struct measured lines[LINE_COUNT] = {0};
    struct raw_text line, key, value;
    int64_t bytes;

    int found = 0;
    /* They stand at the beginning: most of the text need not be looked at. */
    while (found < LINE_COUNT && lines_next(&raw, &line))
        if (raw_split(line, ':', &key, &value))
            for (int i = 0; i < LINE_COUNT; i++)
                if (raw_equal_string(key, line_names[i]) && kilobytes_parse(value, &bytes)) {
                    found += !lines[i].known;
                    lines[i] = measured_known(bytes);
                }

    if (!lines[AVAILABLE].known && lines[FREE].known && lines[BUFFERS].known &&
        lines[CACHED].known && number_add_i64(lines[FREE].value, lines[BUFFERS].value, &bytes) &&
        number_add_i64(bytes, lines[CACHED].value, &bytes))
        lines[AVAILABLE] = measured_known(bytes);
    *meminfo = (struct meminfo){
        .total_bytes = lines[TOTAL],
        .available_bytes = lines[AVAILABLE],
        .swap_total_bytes = lines[SWAP_TOTAL],
        .swap_free_bytes = lines[SWAP_FREE],
    };
}

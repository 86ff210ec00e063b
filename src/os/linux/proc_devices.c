#include "os/linux/proc_devices.h"

#include "base/lines.h"
#include "base/number.h"

bool proc_devices_next(struct proc_devices *devices, struct proc_device *device)
{
    struct raw_text line, number;
    uint64_t major;
    while (lines_next(&devices->rest, &line)) {
        if (raw_starts_with(line, "Character devices")) {
            devices->in_characters = true;
        } else if (raw_starts_with(line, "Block devices")) {
            devices->in_characters = false;
        } else if (devices->in_characters && words_next(&line, &number) &&
                   number_parse_u64(number, &major, NULL) && major <= UINT32_MAX) {
            *device = (struct proc_device){(uint32_t)major, raw_trim(line)};
            return true;
        }
    }
    return false;
}

#include "gpu/drm/uevent.h"

#include "base/lines.h"
#include "base/number.h"

/* "1002:747E" */
static bool parse_pair(struct raw_text value, uint32_t *first, uint32_t *second)
{
    struct raw_text left, right;
    uint64_t a, b;
    if (!raw_split(value, ':', &left, &right) || !number_parse_hex(left, &a, NULL) ||
        !number_parse_hex(right, &b, NULL) || a > 0xffff || b > 0xffff) {
        return false;
    }
    *first = (uint32_t)a;
    *second = (uint32_t)b;
    return true;
}

void uevent_parse(struct raw_text text, struct uevent *uevent)
{
    *uevent = (struct uevent){0};
    struct raw_text line;
    while (lines_next(&text, &line)) {
        struct raw_text key, value;
        if (!raw_split(line, '=', &key, &value)) {
            continue;
        }
        value = raw_trim(value);
        if (raw_equal_string(key, "DRIVER")) {
            uevent->driver = value;
        } else if (raw_equal_string(key, "PCI_SLOT_NAME")) {
            uevent->slot = value;
        } else if (raw_equal_string(key, "OF_COMPATIBLE_0")) {
            uevent->compatible = value;
        } else if (raw_equal_string(key, "PCI_ID")) {
            uevent->has_pci_id = parse_pair(value, &uevent->vendor, &uevent->device);
        } else if (raw_equal_string(key, "PCI_SUBSYS_ID")) {
            uevent->has_subsystem =
                parse_pair(value, &uevent->subsystem_vendor, &uevent->subsystem_device);
        }
    }
}

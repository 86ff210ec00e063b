/* Small texts of sysfs: numbers, clock tables, link speeds, uevent, KFD properties, power states.
 * The first byte chooses the parser. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/drm/dpm.h"
#include "gpu/drm/kfd.h"
#include "gpu/drm/pci_link.h"
#include "gpu/drm/runtime_pm.h"
#include "gpu/drm/sysfs.h"
#include "gpu/drm/uevent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_said(struct said said, int64_t most)
{
    if (said.how != HOW_UNAVAILABLE && (said.value < -40000 || said.value > most)) {
        abort();
    }
}

static void run_numbers(struct raw_text text)
{
    struct measured number = sysfs_parse_number(text);
    check_said(sysfs_percent(number, HOW_REPORTED), 100000);
    check_said(sysfs_temperature(number), 150000);
    check_said(sysfs_power(number), INT64_C(4000000000));
    check_said(sysfs_frequency(number, 1000000), INT64_C(10000000000));
    check_said(sysfs_fan(number), 65534);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct raw_text text = {(const char *)data + 1, size - 1};
    struct dpm dpm;
    struct uevent uevent;
    struct kfd_device device;
    switch (data[0] % 6) {
    case 0:
        run_numbers(text);
        break;
    case 1:
        dpm_parse(text, &dpm);
        check_said(sysfs_frequency(dpm.highest_mhz, 1000000), INT64_C(10000000000));
        break;
    case 2:
        (void)pci_link_parse_speed(text);
        break;
    case 3:
        uevent_parse(text, &uevent);
        break;
    case 4:
        (void)kfd_parse_properties(text, &device);
        break;
    default:
        (void)runtime_power_state(text);
        break;
    }
    return 0;
}

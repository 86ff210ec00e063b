#include "gpu/helper/display_devices.h"

#include <stdio.h>

#include "reading/pass.h"

static const int64_t patience_ns = 10000000000;

void display_devices_refresh(struct display_devices *devices, int64_t running_ns)
{
    int64_t age_ns = running_ns - devices->looked_at_ns;
    bool kept = devices->looked_at_ns != 0 && age_ns >= 0 && age_ns < patience_ns;
    display_devices_read(devices, !kept);
    if (!kept)
        devices->looked_at_ns = running_ns;
}

bool display_device_is_off(const struct display_device *device)
{
    enum { UNSPECIFIED, D0, D1, D2, D3 };
    return device->power_state >= D1 && device->power_state <= D3;
}

bool display_device_address(const struct display_device *device, char *id)
{
    if (device->bus > 0xff || device->device > 0x1f || device->function > 7)
        return false;
    snprintf(id, ADAPTER_ID_SIZE, "pci:0000:%02x:%02x.%x", (unsigned)device->bus,
             (unsigned)device->device, (unsigned)device->function);
    return true;
}

/* The display devices in Windows' tree of devices: addresses and power states that the system keeps
 * itself, so that no device is woken by the question. A vendor's library is not asked while a GPU
 * of its vendor sleeps. */
#ifndef GPU_HELPER_DISPLAY_DEVICES_H
#define GPU_HELPER_DISPLAY_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/helper/hardware_id.h"

enum { DISPLAY_DEVICES_MAX = 64, DISPLAY_SERVICE_SIZE = 32 };

struct display_device {
    struct hardware_id id;
    uint32_t bus, device, function;
    uint32_t power_state;               /* DEVICE_POWER_STATE: 1 is D0, 4 is D3; 0: not told */
    char service[DISPLAY_SERVICE_SIZE]; /* of its driver: "nvlddmkm"; "" none */
    uint32_t system_number;             /* the system's own of it */
};

struct display_devices {
    struct display_device items[DISPLAY_DEVICES_MAX];
    size_t count;
    int64_t looked_at_ns; /* running clock of display_devices_refresh(); 0: never */
};

/* Who sleeps is read every time, who is there every 10 s. None where there is no such tree. */
void display_devices_refresh(struct display_devices *devices, int64_t running_ns);

/* A device's power state says that it is off: D1 to D3. Pure. */
bool display_device_is_off(const struct display_device *device);
/* "pci:0000:01:00.0", into ADAPTER_ID_SIZE bytes; false for what is no address. Pure. */
bool display_device_address(const struct display_device *device, char *id);

/* display_devices_door.c. `again`: who is there is read anew; else only who sleeps. */
void display_devices_read(struct display_devices *devices, bool again);

#endif

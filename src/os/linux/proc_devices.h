/* The text of /proc/devices: which character device majors belong to which driver. Pure. */
#ifndef OS_LINUX_PROC_DEVICES_H
#define OS_LINUX_PROC_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct proc_device {
    uint32_t major;
    struct raw_text name; /* points into the text */
};

/* Takes the next character device off `rest` (the whole file at first); false at the end. Block
 * devices have majors of their own and are passed over. */
struct proc_devices {
    struct raw_text rest;
    bool in_characters;
};
bool proc_devices_next(struct proc_devices *devices, struct proc_device *device);

#endif

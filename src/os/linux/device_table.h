/* Which device files belong to GPUs: device numbers (the real machine) or names (a recorded tree,
 * which cannot hold device nodes) to enum device_class. Portable over os/root.h.
 *
 * DRM nodes (major 226) are told apart by the node's NAME in sysfs, never by its number: from Linux
 * 6.12 on both kinds get numbers above 191. Majors of NVIDIA and of kfd come from /proc/devices and
 * sysfs, since they are given out at run time. */
#ifndef OS_LINUX_DEVICE_TABLE_H
#define OS_LINUX_DEVICE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "os/root.h"
#include "reading/process.h"

struct device_table;

struct device_table *device_table_new(void);
void device_table_free(struct device_table **table);
/* Call before every walk: reads what drivers were loaded, anew when the tree moved or 5 s passed.
 * The root must outlive the walk. */
void device_table_begin(struct device_table *table, const struct root *root, int64_t running_ns);

/* Of a character device; false when it is no GPU's. Costs nothing for numbers seen before. */
bool device_table_class(struct device_table *table, uint32_t major, uint32_t minor,
                        enum device_class *class);
/* Of a recorded descriptor's link ("/dev/dri/renderD128"), with the device number, 0 where it is
 * not recorded. */
bool device_table_class_name(struct device_table *table, struct raw_text target,
                             enum device_class *class, uint64_t *device_number);

static inline uint64_t device_number_make(uint32_t major, uint32_t minor)
{
    return (uint64_t)major << 32 | minor;
}

#endif

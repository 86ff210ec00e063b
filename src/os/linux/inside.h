/* What /proc shows of the inside of a process. Portable over os/root.h, but for the kernel's own
 * table of sockets. */
#ifndef OS_LINUX_INSIDE_H
#define OS_LINUX_INSIDE_H

#include "os/inside.h"

/* `root` must stay. */
struct inside linux_inside(const struct root *root);

#endif

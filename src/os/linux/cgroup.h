/* The text of /proc/PID/cgroup (cgroups(7)). Pure. */
#ifndef OS_LINUX_CGROUP_H
#define OS_LINUX_CGROUP_H

#include "base/text.h"

/* The path that says most about where the process lives: that of the v2 hierarchy ("0::PATH")
 * unless it is "/" and a v1 line is longer. Points into the text; bytes NULL when there is none. */
struct raw_text cgroup_path(struct raw_text raw);

#endif

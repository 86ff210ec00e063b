/* One line of /proc/self/mountinfo (proc_pid_mountinfo(5)). Pure. */
#ifndef OS_LINUX_MOUNTINFO_H
#define OS_LINUX_MOUNTINFO_H

#include <stdbool.h>

#include "base/text.h"

/* True when the line is the mount of a proc file system on /proc; *hides says whether it hides the
 * processes of other users (hidepid=1, 2, 4, noaccess, invisible, ptraceable). */
bool mountinfo_hides_processes(struct raw_text line, bool *hides);

#endif

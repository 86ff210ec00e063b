/* The bytes of /proc/PID/cmdline: arguments, each ended by a NUL. Pure. */
#ifndef OS_LINUX_PROC_CMDLINE_H
#define OS_LINUX_PROC_CMDLINE_H

#include <stdbool.h>

#include "base/text.h"

/* Without the NULs and blanks at the end that a process leaves behind when it overwrites its
 * command line with a shorter title. Does not hold the NUL of the last argument. */
struct raw_text cmdline_trim(struct raw_text raw);
/* Takes the next argument off `rest`; false at the end. */
bool cmdline_next(struct raw_text *rest, struct raw_text *argument);

#endif

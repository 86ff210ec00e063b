/* The bytes of /proc/PID/environ: NAME=VALUE, each ended by a NUL. Pure. */
#ifndef OS_LINUX_PROC_ENVIRON_H
#define OS_LINUX_PROC_ENVIRON_H

#include <stdbool.h>

#include "base/text.h"

/* The value of a variable as the process got it at its start; the first counts, as in getenv(3).
 * False when it is not there; *value is left alone then. Points into the bytes. */
bool environ_find(struct raw_text environment, const char *name, struct raw_text *value);

#endif

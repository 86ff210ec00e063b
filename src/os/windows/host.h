/* The Windows machine as a whole: names, processors, memory. */
#ifndef OS_WINDOWS_HOST_H
#define OS_WINDOWS_HOST_H

#include "base/arena.h"
#include "reading/process.h"

/* What can't be read stays unknown. Texts live in `arena`. */
void windows_host_read(struct arena *arena, struct host_reading *host);

#endif

/* The string that the kernel writes when a process opens a Metal client (IOUserClientCreator): "pid
 * 4245, python3.12". The name is the process's short one, cut to 16 bytes; it may be empty or hold
 * a comma. Source: xnu iokit/Kernel/IOUserClient.cpp, IOLib.cpp (IOCopyLogNameForPID). */
#ifndef GPU_METAL_CREATOR_H
#define GPU_METAL_CREATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* False: it names no process. *name points into `creator`. */
bool metal_creator_parse(struct raw_text creator, int64_t *pid, struct raw_text *name);

#endif

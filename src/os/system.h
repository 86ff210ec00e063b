/* The machine of the system this program was built for. */
#ifndef OS_SYSTEM_H
#define OS_SYSTEM_H

#include "base/problem.h"
#include "os/machine.h"
#include "os/recorded/script.h"

/* Makes the machine; `script` is NULL for the real one and stays the caller's. Fills everything but
 * `script` and `recorded`. */
bool system_machine_open(struct machine **machine, const struct sample_script *script,
                         struct problem *problem);

#endif

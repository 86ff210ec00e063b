/* The real machine's clocks. Recorded machines have their own: use machine_running_ns(). */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdint.h>

int64_t clock_running_ns(void); /* stops while the machine sleeps (CLOCK_MONOTONIC on Linux) */
int64_t clock_elapsed_ns(void); /* goes on while it sleeps (CLOCK_BOOTTIME on Linux) */
int64_t clock_wall_ns(void);    /* since the epoch, UTC; may jump */

#endif

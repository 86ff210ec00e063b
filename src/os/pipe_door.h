/* Pipes for doors of POSIX systems: close-on-exec and non-blocking at both ends, and never one of
 * the descriptors 0 to 2, which another program would take for its own streams. */
#ifndef OS_PIPE_DOOR_H
#define OS_PIPE_DOOR_H

#include <stdbool.h>

/* ends[0] is read from, ends[1] written to. False with errno. */
bool pipe_open(int ends[2]);
/* Closes the ends that are not -1 and sets them to -1. */
void pipe_close(int ends[2]);

#endif

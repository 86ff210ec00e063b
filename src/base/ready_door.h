/* Waiting for descriptors that may be terminals, for doors of POSIX systems. macOS' poll(2) does
 * not know terminals (its manual: "does not support devices"); its select(2) does. */
#ifndef BASE_READY_DOOR_H
#define BASE_READY_DOOR_H

#include <poll.h>
#include <stddef.h>

/* As poll(2), for POLLIN and POLLOUT. An end is told as POLLIN, perhaps with POLLHUP. */
int ready_poll(struct pollfd *polled, size_t count, int timeout_ms);
/* The same by select(2). */
int ready_poll_by_select(struct pollfd *polled, size_t count, int timeout_ms);

#endif

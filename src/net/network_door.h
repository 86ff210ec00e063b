/* What must be done before the first socket. */
#ifndef NET_NETWORK_DOOR_H
#define NET_NETWORK_DOOR_H

#include <stdbool.h>

/* Any number of times, from any thread. False when there are no sockets here. */
bool network_start(void);

#endif

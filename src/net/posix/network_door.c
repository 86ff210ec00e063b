#include "net/network_door.h"

/* Sockets are always there. */
bool network_start(void)
{
    return true;
}

#include "net/network_door.h"

#include <winsock2.h>

static BOOL CALLBACK start(PINIT_ONCE once, void *parameter, void **context)
{
    WSADATA data;
    (void)once, (void)parameter, (void)context;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

/* Never ended: the process's end does that. */
bool network_start(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    return InitOnceExecuteOnce(&once, start, NULL, NULL) != 0;
}

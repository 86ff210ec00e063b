#include "base/ready_door.h"

int ready_poll(struct pollfd *polled, size_t count, int timeout_ms)
{
    return poll(polled, (nfds_t)count, timeout_ms);
}

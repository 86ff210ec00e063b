#include "base/ready_door.h"

int ready_poll(struct pollfd *polled, size_t count, int timeout_ms)
{
    return ready_poll_by_select(polled, count, timeout_ms);
}

#include "os/clock.h"

#include <time.h>

/* Darwin's CLOCK_MONOTONIC goes on in sleep and its CLOCK_UPTIME_RAW does not. */
#if defined(__APPLE__)
#define CLOCK_RUNNING CLOCK_UPTIME_RAW
#define CLOCK_ELAPSED CLOCK_MONOTONIC
#elif defined(CLOCK_BOOTTIME)
#define CLOCK_RUNNING CLOCK_MONOTONIC
#define CLOCK_ELAPSED CLOCK_BOOTTIME
#else
#define CLOCK_RUNNING CLOCK_MONOTONIC
#define CLOCK_ELAPSED CLOCK_MONOTONIC
#endif

static int64_t clock_read(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_running_ns(void)
{
    return clock_read(CLOCK_RUNNING);
}

int64_t clock_elapsed_ns(void)
{
    return clock_read(CLOCK_ELAPSED);
}

int64_t clock_wall_ns(void)
{
    return clock_read(CLOCK_REALTIME);
}

#include "os/clock.h"

#include <windows.h>

enum { NS_PER_FILETIME = 100 };

int64_t clock_running_ns(void)
{
    ULONGLONG unbiased = 0;

    QueryUnbiasedInterruptTime(&unbiased);
    return (int64_t)unbiased * NS_PER_FILETIME;
}

int64_t clock_elapsed_ns(void)
{
    return (int64_t)GetTickCount64() * 1000000;
}

int64_t clock_wall_ns(void)
{
    /* 100 ns steps since 1601 */
    static const int64_t epoch = 116444736000000000;
    FILETIME now;

    GetSystemTimePreciseAsFileTime(&now);
    int64_t steps = (int64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;

    return (steps - epoch) * NS_PER_FILETIME;
}

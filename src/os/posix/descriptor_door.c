#include "os/descriptor.h"

#include <sys/resource.h>

bool descriptor_may_be_kept(int descriptor)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    return (rlim_t)descriptor < limit.rlim_cur / 2;
}

#include "os/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/types.h>

#include "os/macos/process_list_door.h"
#include "reading/identity.h"

/* There is no handle to a process as on Linux: its start is compared just before, which leaves the
 * moment between the two calls. */
int signals_send(const struct identity *identity, int number)
{
    if (identity->space != NAMESPACE_LOCAL || identity->pid <= 0 || identity->pid > INT32_MAX ||
        identity->start_stamp == IDENTITY_NO_STAMP)
        return EINVAL;
    int64_t started_us = macos_process_started_us(identity->pid);
    if (started_us <= 0 || (uint64_t)started_us != identity->start_stamp)
        return ESRCH;
    return kill((pid_t)identity->pid, number) == 0 ? 0 : errno;
}

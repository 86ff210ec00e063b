#include "os/signals.h"

#include <errno.h>
#include <windows.h>

#include "os/windows/process_door.h"
#include "reading/identity.h"

/* As POSIX numbers them; Windows can end a process, and ask it nothing. */
enum { NUMBER_KILL = 9, NUMBER_TERMINATE = 15, EXIT_STATUS = 1 };

/* The handle is of one process for good: what is found to be the right one stays it. */
int signals_send(const struct identity *identity, int number)
{
    if (identity->space != NAMESPACE_LOCAL || identity->pid <= 0 || identity->pid > UINT32_MAX ||
        identity->start_stamp == IDENTITY_NO_STAMP || identity->start_stamp == 0)
        return EINVAL;
    if (number != NUMBER_TERMINATE && number != NUMBER_KILL)
        return ENOSYS;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_TERMINATE, FALSE,
                                 (DWORD)identity->pid);
    if (!process)
        return GetLastError() == ERROR_ACCESS_DENIED ? EPERM : ESRCH;
    int error = 0;
    if ((uint64_t)process_door_created(process) != identity->start_stamp ||
        process_door_has_ended(process))
        error = ESRCH;
    else if (!TerminateProcess(process, EXIT_STATUS))
        error = GetLastError() == ERROR_ACCESS_DENIED ? EPERM : ESRCH;
    CloseHandle(process);
    return error;
}

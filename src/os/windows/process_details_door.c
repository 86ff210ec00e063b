#include "os/windows/process_details.h"

#include "os/windows/command_line.h"
#include "os/windows/process_door.h"

static enum windows_access access_of(HANDLE process)
{
    HANDLE wider =
        OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, GetProcessId(process));
    if (wider) {
        CloseHandle(wider);
        return WINDOWS_ACCESS_FULL;
    }
    return process_door_is_protected(process) ? WINDOWS_ACCESS_PROTECTED : WINDOWS_ACCESS_REFUSED;
}

void windows_process_details_read(struct arena *arena, int64_t pid, int64_t created_100ns,
                                  struct windows_process_details *details)
{
    *details = (struct windows_process_details){.user = {NULL, 0}};
    if (created_100ns == 0)
        return;
    HANDLE process = process_door_open(pid, created_100ns, 0);
    if (!process) {
        if (GetLastError() == ERROR_ACCESS_DENIED)
            details->access = WINDOWS_ACCESS_REFUSED;
        return;
    }
    details->access = access_of(process);
    details->executable = process_door_executable(process, arena);
    details->command = command_line_arguments(arena, process_door_command(process, arena));
    details->user = process_door_user(process, arena);
    CloseHandle(process);
}

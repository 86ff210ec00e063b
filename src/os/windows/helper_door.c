#include "os/helper_door.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "os/self_door.h"
#include "os/windows/command_line.h"
#include "os/windows/wake_handle.h"

enum { COMMAND_SIZE = 8192, PATH_BYTES = 4096, READ_SIZE = 16384, WAIT_MAX = 62 };

/* One overlapped read is always out; its event tells that bytes have arrived. */
struct helper_process {
    HANDLE process, job; /* the job ends with us, and the helper with its job */
    DWORD id;
    HANDLE input, output;
    OVERLAPPED reading, writing;
    bool read_is_out, at_end, ended;
    char bytes[READ_SIZE];
    size_t got, taken;
    struct problem how;
};

static bool build_command(char *command, size_t size, const char *const *argv)
{
    char path[PATH_BYTES];

    command[0] = '\0';
    if (!argv[0] && !self_program_path(path, sizeof path))
        return false;
    bool fits = command_line_append(command, size, argv[0] ? argv[0] : path);

    for (size_t i = 1; fits && argv[i]; i++)
        fits = command_line_append(command, size, argv[i]);
    return fits;
}

/* A pipe whose end here is overlapped and whose other end the helper inherits: anonymous pipes
 * cannot be waited for. */
static bool open_pipe(struct helper_process *process, bool to_helper, HANDLE *here, HANDLE *there)
{
    wchar_t name[96];
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};

    swprintf(name, sizeof name / sizeof name[0], L"\\\\.\\pipe\\gputaskman-%lu-%p-%d",
             GetCurrentProcessId(), (void *)process, to_helper);
    *here = CreateNamedPipeW(name,
                             (to_helper ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND) |
                                 FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                             PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, 65536, 65536, 0, NULL);
    if (*here == INVALID_HANDLE_VALUE)
        return false;
    *there = CreateFileW(name, to_helper ? GENERIC_READ : GENERIC_WRITE, 0, &inherit, OPEN_EXISTING,
                         0, NULL);
    return *there != INVALID_HANDLE_VALUE;
}

/* Starts it with exactly these three handles inherited, suspended until it is in its job. */
static bool create_process(struct helper_process *process, wchar_t *command, HANDLE streams[3])
{
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof start,
                                            .dwFlags = STARTF_USESTDHANDLES,
                                            .hStdInput = streams[0],
                                            .hStdOutput = streams[1],
                                            .hStdError = streams[2]}};
    PROCESS_INFORMATION started;
    SIZE_T size = 0;

    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    start.lpAttributeList = memory_new(size);
    bool ok = InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size) &&
              UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                        streams, 3 * sizeof *streams, NULL, NULL) &&
              CreateProcessW(NULL, command, NULL, NULL, TRUE,
                             CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED |
                                 EXTENDED_STARTUPINFO_PRESENT,
                             NULL, NULL, &start.StartupInfo, &started);

    free(start.lpAttributeList);
    if (!ok)
        return false;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
        .BasicLimitInformation = {.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}};

    process->job = CreateJobObjectW(NULL, NULL);
    SetInformationJobObject(process->job, JobObjectExtendedLimitInformation, &limits,
                            sizeof limits);
    AssignProcessToJobObject(process->job, started.hProcess);
    ResumeThread(started.hThread);
    CloseHandle(started.hThread);
    process->process = started.hProcess;
    process->id = started.dwProcessId;
    return true;
}

static void begin_read(struct helper_process *process)
{
    process->got = process->taken = 0;
    process->read_is_out =
        ReadFile(process->output, process->bytes, READ_SIZE, NULL, &process->reading) ||
        GetLastError() == ERROR_IO_PENDING;
    process->at_end = !process->read_is_out;
}

static bool start_with_pipes(struct helper_process *process, wchar_t *command)
{
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
    HANDLE streams[3] = {INVALID_HANDLE_VALUE, INVALID_HANDLE_VALUE, INVALID_HANDLE_VALUE};
    bool ok = open_pipe(process, true, &process->input, &streams[0]) &&
              open_pipe(process, false, &process->output, &streams[1]);

    streams[2] = CreateFileW(L"NUL", GENERIC_WRITE, 0, &inherit, OPEN_EXISTING, 0, NULL);
    process->reading.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    process->writing.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    ok = ok && streams[2] != INVALID_HANDLE_VALUE && create_process(process, command, streams);
    for (int i = 0; i < 3; i++)
        if (streams[i] != INVALID_HANDLE_VALUE)
            CloseHandle(streams[i]);
    if (ok)
        begin_read(process);
    return ok;
}

struct helper_process *helper_process_start(const char *const *argv, struct problem *problem)
{
    char command[COMMAND_SIZE];
    wchar_t wide[COMMAND_SIZE];

    if (!build_command(command, sizeof command, argv) ||
        !MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, command, -1, wide, COMMAND_SIZE)) {
        problem_set(problem, "cannot be started: its command line is no valid text or too long");
        return NULL;
    }
    struct helper_process *process = memory_new(sizeof *process);

    process->input = process->output = INVALID_HANDLE_VALUE;
    if (!start_with_pipes(process, wide)) {
        problem_set(problem, "%s cannot be started: Windows error %lu", command, GetLastError());
        helper_process_free(&process);
        return NULL;
    }
    return process;
}

int64_t helper_process_id(const struct helper_process *process)
{
    return process->id;
}

/* Requests are short and the pipe holds 64 KiB: a write that does not complete at once means a
 * helper that does not read, which its time bound will end. */
enum helper_transfer helper_process_write(struct helper_process *process, const char *bytes,
                                          size_t size, size_t *moved)
{
    DWORD written = 0;

    *moved = 0;
    if (process->input == INVALID_HANDLE_VALUE)
        return HELPER_AT_END;
    if (!WriteFile(process->input, bytes, (DWORD)size, NULL, &process->writing) &&
        GetLastError() != ERROR_IO_PENDING)
        return HELPER_AT_END;
    if (!GetOverlappedResult(process->input, &process->writing, &written, FALSE)) {
        CancelIoEx(process->input, &process->writing);
        GetOverlappedResult(process->input, &process->writing, &written, TRUE);
    }
    *moved = written;
    return written ? HELPER_MOVED : HELPER_WAIT;
}

enum helper_transfer helper_process_read(struct helper_process *process, char *bytes, size_t size,
                                         size_t *moved)
{
    DWORD got = 0;

    *moved = 0;
    if (process->read_is_out) {
        if (GetOverlappedResult(process->output, &process->reading, &got, FALSE))
            process->got = got;
        else if (GetLastError() == ERROR_IO_INCOMPLETE)
            return HELPER_WAIT;
        else
            process->at_end = true;
        process->read_is_out = false;
    }
    if (process->at_end)
        return HELPER_AT_END;
    size_t left = process->got - process->taken;

    *moved = left < size ? left : size;
    memcpy(bytes, process->bytes + process->taken, *moved);
    process->taken += *moved;
    if (process->taken == process->got)
        begin_read(process);
    return *moved ? HELPER_MOVED : HELPER_WAIT;
}

void helper_process_close_input(struct helper_process *process)
{
    if (process->input != INVALID_HANDLE_VALUE)
        CloseHandle(process->input);
    process->input = INVALID_HANDLE_VALUE;
}

void helper_process_kill(struct helper_process *process)
{
    TerminateJobObject(process->job, 1);
    TerminateProcess(process->process, 1);
}

bool helper_process_has_ended(struct helper_process *process, struct problem *how)
{
    if (!process->ended) {
        DWORD status = 0;

        if (WaitForSingleObject(process->process, 0) != WAIT_OBJECT_0)
            return false;
        process->ended = true;
        GetExitCodeProcess(process->process, &status);
        /* An exception that nobody handled is the exit status: NTSTATUS with severity "error". */
        if (status >> 30 == 3)
            problem_set(&process->how, "killed by exception 0x%08lX%s", status,
                        status == EXCEPTION_ACCESS_VIOLATION ? " (access violation)" : "");
        else
            problem_set(&process->how, "ended by itself with exit status %lu", status);
    }
    if (how)
        *how = process->how;
    return true;
}

/* A read that is out writes into the process's buffer: it is ended before that is freed. */
void helper_process_free(struct helper_process **process)
{
    struct helper_process *old = *process;
    DWORD got;

    if (!old)
        return;
    helper_process_close_input(old);
    if (old->read_is_out) {
        CancelIoEx(old->output, &old->reading);
        GetOverlappedResult(old->output, &old->reading, &got, TRUE);
    }
    HANDLE handles[] = {old->output, old->reading.hEvent, old->writing.hEvent, old->process,
                        old->job};

    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++)
        if (handles[i] && handles[i] != INVALID_HANDLE_VALUE)
            CloseHandle(handles[i]);
    free(old);
    *process = NULL;
}

void helper_door_wait(struct helper_waiting *waiting, size_t count, struct wake *wake,
                      int64_t until_ns)
{
    HANDLE handles[WAIT_MAX + 1];
    DWORD used = 0;

    if (count > WAIT_MAX)
        count = WAIT_MAX;
    for (size_t i = 0; i < count; i++)
        handles[used++] = waiting[i].process->reading.hEvent;
    if (wake)
        handles[used++] = wake_handle(wake);
    int64_t left = until_ns == INT64_MAX ? INT64_MAX : until_ns - thread_clock_ns();
    int64_t milliseconds = left <= 0 ? 0 : (left - 1) / 1000000 + 1;
    DWORD timeout = milliseconds < 1000000 ? (DWORD)milliseconds : 1000000;

    if (used == 0) {
        Sleep(timeout);
        return;
    }
    WaitForMultipleObjects(used, handles, FALSE, timeout);
    for (size_t i = 0; i < count; i++)
        waiting[i].happened = WaitForSingleObject(waiting[i].process->reading.hEvent, 0) == 0;
}

static BOOL WINAPI ignore_control(DWORD control)
{
    return control == CTRL_C_EVENT || control == CTRL_BREAK_EVENT;
}

void helper_door_become(void)
{
    SetConsoleCtrlHandler(ignore_control, TRUE);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
}

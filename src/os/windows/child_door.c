#include "os/child.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "os/windows/child_program.h"
#include "os/windows/wide.h"

enum { LINE_SIZE = 32000, PATH_UNITS = 4096, PATH_BYTES = 4 * PATH_UNITS, STREAMS = 3 };

/* Its tree is known by the job it is in, which lives as long as somebody in it does. It is not
 * ended with us: what is recorded goes on. */
struct child {
    HANDLE process, job; /* job NULL: only the child itself is known */
    DWORD id;
    struct wake *wake;
    struct thread *waiter;
    atomic_bool ended;
};

static void wait_for_end(void *context)
{
    struct child *child = context;
    WaitForSingleObject(child->process, INFINITE);
    atomic_store(&child->ended, true);
    wake_signal(child->wake);
}

/* As cmd.exe looks: in the path, with the endings of programs and scripts. */
static bool find_program(const char *name, char path[PATH_BYTES])
{
    static const wchar_t *const endings[] = {L".com", L".exe", L".bat", L".cmd"};
    wchar_t *wide = wide_of_utf8(name), found[PATH_UNITS];
    bool is_found = false;
    for (size_t i = 0; wide && i < sizeof endings / sizeof *endings && !is_found; i++) {
        DWORD length = SearchPathW(NULL, wide, endings[i], PATH_UNITS, found, NULL);
        DWORD about =
            length > 0 && length < PATH_UNITS ? GetFileAttributesW(found) : INVALID_FILE_ATTRIBUTES;
        is_found = about != INVALID_FILE_ATTRIBUTES && !(about & FILE_ATTRIBUTE_DIRECTORY) &&
                   WideCharToMultiByte(CP_UTF8, 0, found, -1, path, PATH_BYTES, NULL, NULL) > 0;
    }
    free(wide);
    return is_found;
}

/* Handles of ours that the child may have: exactly its three streams. */
static void open_streams(STARTUPINFOEXW *start, HANDLE streams[STREAMS])
{
    static const DWORD names[STREAMS] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    HANDLE us = GetCurrentProcess(),
           *places[STREAMS] = {&start->StartupInfo.hStdInput, &start->StartupInfo.hStdOutput,
                               &start->StartupInfo.hStdError};
    start->StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    for (int i = 0; i < STREAMS; i++) {
        HANDLE ours = GetStdHandle(names[i]);
        if (!ours || ours == INVALID_HANDLE_VALUE ||
            !DuplicateHandle(us, ours, us, &streams[i], 0, TRUE, DUPLICATE_SAME_ACCESS))
            streams[i] = NULL;
        *places[i] = streams[i];
    }
}

/* `program` NULL: the first word of the line, which is a whole path. */
static bool create_suspended(const wchar_t *program, wchar_t *line, PROCESS_INFORMATION *started)
{
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof start}};
    HANDLE streams[STREAMS], passed[STREAMS];
    SIZE_T size = 0;
    DWORD count = 0;
    open_streams(&start, streams);
    for (int i = 0; i < STREAMS; i++)
        if (streams[i])
            passed[count++] = streams[i];
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    start.lpAttributeList = memory_new(size);
    bool ok = InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size) &&
              (count == 0 || UpdateProcThreadAttribute(start.lpAttributeList, 0,
                                                       PROC_THREAD_ATTRIBUTE_HANDLE_LIST, passed,
                                                       count * sizeof *passed, NULL, NULL)) &&
              CreateProcessW(program, line, NULL, NULL, count > 0,
                             CREATE_SUSPENDED | EXTENDED_STARTUPINFO_PRESENT, NULL, NULL,
                             &start.StartupInfo, started);
    DWORD error = GetLastError();
    free(start.lpAttributeList);
    for (DWORD i = 0; i < count; i++)
        CloseHandle(passed[i]);
    SetLastError(error);
    return ok;
}

static int status_of(DWORD error)
{
    return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ? CHILD_NOT_FOUND
                                                                          : CHILD_NOT_EXECUTABLE;
}

static struct child *start_line(const char *name, const char *line, bool is_script,
                                int *exit_status, struct problem *problem)
{
    static const wchar_t shell[] = L"\\cmd.exe";
    PROCESS_INFORMATION started;
    wchar_t *wide = wide_of_utf8(line), program[MAX_PATH + sizeof shell / sizeof *shell];
    UINT length = GetSystemDirectoryW(program, MAX_PATH);
    memcpy(program + (length < MAX_PATH ? length : 0), shell, sizeof shell);
    if (!wide || !create_suspended(is_script ? program : NULL, wide, &started)) {
        DWORD error = wide ? GetLastError() : ERROR_INVALID_NAME;
        free(wide);
        *exit_status = status_of(error);
        problem_set(problem, "cannot run %.200s: Windows error %lu", name, error);
        return NULL;
    }
    free(wide);
    struct child *child = memory_new(sizeof *child);
    child->process = started.hProcess;
    child->id = started.dwProcessId;
    child->job = CreateJobObjectW(NULL, NULL);
    if (child->job && !AssignProcessToJobObject(child->job, child->process)) {
        CloseHandle(child->job);
        child->job = NULL;
    }
    ResumeThread(started.hThread);
    CloseHandle(started.hThread);
    return child;
}

struct child *child_start(char *const *argv, struct wake *wake, int *exit_status,
                          struct problem *problem)
{
    char *path = memory_new(PATH_BYTES), *line = memory_new(LINE_SIZE);
    struct problem why = {""};
    struct child *child = NULL;
    bool is_script = false, found = find_program(argv[0], path);
    if (!found) {
        *exit_status = CHILD_NOT_FOUND;
        problem_set(problem, "cannot run %.200s: there is no such program in the path", argv[0]);
    } else {
        is_script = child_program_is_script(path);
        *exit_status = CHILD_NOT_EXECUTABLE;
        bool built = is_script ? child_program_script_line(path, argv, line, LINE_SIZE, &why)
                               : child_program_line(path, argv, line, LINE_SIZE, &why);
        if (built)
            child = start_line(argv[0], line, is_script, exit_status, problem);
        else
            problem_set(problem, "cannot run %.200s: %.300s", argv[0], why.text);
    }
    free(path);
    free(line);
    if (child) {
        child->wake = wake;
        child->waiter = thread_start("waiter", wait_for_end, child);
    }
    return child;
}

int64_t child_id(const struct child *child)
{
    return child->id;
}

bool child_has_ended(const struct child *child)
{
    return child->waiter ? atomic_load(&child->ended)
                         : WaitForSingleObject(child->process, 0) == WAIT_OBJECT_0;
}

int child_finish(struct child *child)
{
    DWORD status = 1;
    if (child->waiter)
        thread_join(&child->waiter);
    WaitForSingleObject(child->process, INFINITE);
    GetExitCodeProcess(child->process, &status);
    CloseHandle(child->process);
    child->process = NULL;
    return (int)status;
}

void child_free(struct child **child)
{
    if (*child && (*child)->job)
        CloseHandle((*child)->job);
    free(*child);
    *child = NULL;
}

bool child_is_ancestor(const struct child *child, int64_t pid)
{
    BOOL is_in = FALSE;
    if (pid == child->id)
        return true;
    if (!child->job || pid <= 0 || pid > UINT32_MAX)
        return false;
    /* The lesser right is enough on Windows; wine wants the greater one. */
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION, FALSE, (DWORD)pid);
    if (!process)
        process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);
    if (process) {
        IsProcessInJob(process, child->job, &is_in);
        CloseHandle(process);
    }
    return is_in;
}

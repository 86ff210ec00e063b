#include "os/windows/process_door.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winternl.h>

#include "base/fatal.h"
#include "os/windows/wide.h"

enum {
    BASIC_INFORMATION = 0,         /* ProcessBasicInformation */
    COMMAND_LINE_INFORMATION = 60, /* ProcessCommandLineInformation, Windows 8.1 */
    COMMAND_BYTES_MAX = 128 * 1024,
    ENVIRONMENT_BYTES_MAX = 512 * 1024,
    PATH_UNITS = 32768,
    ASKED_AGAIN = 4,
    NAMELESS_MS = 300000, /* how long nobody is asked again whose name could not be told */
};

static const NTSTATUS length_mismatch = (NTSTATUS)0xC0000004;

/* Offsets of a 64-bit process (public symbols of ntdll): PEB, RTL_USER_PROCESS_PARAMETERS. */
enum {
    PEB_PARAMETERS = 0x20,
    PARAMETERS_FOLDER = 0x38,
    PARAMETERS_COMMAND = 0x70,
    PARAMETERS_ENVIRONMENT = 0x80,
    PARAMETERS_ENVIRONMENT_SIZE = 0x3F0,
};

typedef NTSTATUS(NTAPI *query_function)(HANDLE, ULONG, void *, ULONG, ULONG *);

static query_function query(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    return ntdll ? (query_function)(void *)GetProcAddress(ntdll, "NtQueryInformationProcess")
                 : NULL;
}

HANDLE process_door_open(int64_t pid, int64_t created_100ns, DWORD more)
{
    if (pid <= 0 || pid > UINT32_MAX)
        return NULL;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | more, FALSE, (DWORD)pid);
    if (process && created_100ns != 0 && process_door_created(process) != created_100ns) {
        CloseHandle(process);
        SetLastError(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    return process;
}

int64_t process_door_created(HANDLE process)
{
    FILETIME created, ended, kernel, user;
    if (!GetProcessTimes(process, &created, &ended, &kernel, &user))
        return 0;
    return (int64_t)((uint64_t)created.dwHighDateTime << 32 | created.dwLowDateTime);
}

bool process_door_has_ended(HANDLE process)
{
    DWORD status;
    return !GetExitCodeProcess(process, &status) || status != STILL_ACTIVE;
}

static bool read_basic(HANDLE process, PROCESS_BASIC_INFORMATION *basic)
{
    query_function ask = query();
    return ask && ask(process, BASIC_INFORMATION, basic, sizeof *basic, NULL) >= 0;
}

int64_t process_door_parent(HANDLE process)
{
    PROCESS_BASIC_INFORMATION basic;
    return read_basic(process, &basic) ? (int64_t)basic.InheritedFromUniqueProcessId : 0;
}

typedef BOOL(WINAPI *information_function)(HANDLE, int, void *, DWORD);

bool process_door_is_protected(HANDLE process)
{
    /* processthreadsapi.h: ProcessProtectionLevelInfo, PROTECTION_LEVEL_NONE; Windows 8.1 */
    enum { PROTECTION_LEVEL = 7 };
    static const DWORD none = 0xFFFFFFFE;
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    information_function ask =
        kernel ? (information_function)(void *)GetProcAddress(kernel, "GetProcessInformation")
               : NULL;
    DWORD level = none;
    return ask && ask(process, PROTECTION_LEVEL, &level, sizeof level) && level != none;
}

struct raw_text process_door_executable(HANDLE process, struct arena *arena)
{
    wchar_t *wide = memory_new(PATH_UNITS * sizeof *wide);
    DWORD length = PATH_UNITS;
    struct raw_text path = {0};
    if (QueryFullProcessImageNameW(process, 0, wide, &length) && length > 0)
        path = wide_to_utf8(arena, wide, length);
    free(wide);
    return path;
}

/* Where the process keeps what it was started with; 0: not to be read. */
static uintptr_t parameters_of(HANDLE process)
{
    PROCESS_BASIC_INFORMATION basic;
    uintptr_t parameters = 0;
    SIZE_T got;
    if (!read_basic(process, &basic) || !basic.PebBaseAddress ||
        !ReadProcessMemory(process, (const char *)basic.PebBaseAddress + PEB_PARAMETERS,
                           &parameters, sizeof parameters, &got) ||
        got != sizeof parameters)
        return 0;
    return parameters;
}

static struct raw_text read_units(HANDLE process, struct arena *arena, uintptr_t at, size_t bytes)
{
    wchar_t *wide = memory_new(bytes + sizeof *wide);
    SIZE_T got = 0;
    struct raw_text text = {0};
    if (at != 0 && ReadProcessMemory(process, (const void *)at, wide, bytes, &got) && got == bytes)
        text = wide_to_utf8(arena, wide, bytes / sizeof *wide);
    free(wide);
    return text;
}

/* A UNICODE_STRING among the parameters. */
static struct raw_text read_parameter(HANDLE process, struct arena *arena, size_t offset)
{
    uintptr_t parameters = parameters_of(process);
    UNICODE_STRING string;
    SIZE_T got;
    if (parameters == 0 ||
        !ReadProcessMemory(process, (const void *)(parameters + offset), &string, sizeof string,
                           &got) ||
        got != sizeof string || string.Length % sizeof(wchar_t) != 0)
        return (struct raw_text){0};
    return read_units(process, arena, (uintptr_t)string.Buffer, string.Length);
}

struct raw_text process_door_folder(HANDLE process, struct arena *arena)
{
    struct raw_text folder = read_parameter(process, arena, PARAMETERS_FOLDER);
    /* "C:\": all others end without it. */
    if (folder.length > 3 && folder.bytes[folder.length - 1] == '\\')
        folder.length--;
    return folder;
}

/* The kernel's own answer: a UNICODE_STRING whose text lies behind it. */
static struct raw_text ask_command(HANDLE process, struct arena *arena)
{
    query_function ask = query();
    ULONG size = 4096, needed = 0;
    struct raw_text command = {0};
    for (int i = 0; ask && i < ASKED_AGAIN && size <= COMMAND_BYTES_MAX; i++) {
        UNICODE_STRING *string = memory_new(size);
        NTSTATUS status = ask(process, COMMAND_LINE_INFORMATION, string, size, &needed);
        uintptr_t from = (uintptr_t)string, text = (uintptr_t)string->Buffer;
        if (status >= 0 && text >= from && text - from <= size &&
            string->Length <= size - (text - from))
            command = wide_to_utf8(arena, string->Buffer, string->Length / sizeof(wchar_t));
        free(string);
        if (status != length_mismatch)
            break;
        size = needed > size ? needed : size * 2;
    }
    return command;
}

/* Its number cannot become another's while the first handle is open. */
struct raw_text process_door_command(HANDLE process, struct arena *arena)
{
    struct raw_text command = ask_command(process, arena);
    if (command.bytes)
        return command;
    HANDLE wider =
        OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, GetProcessId(process));
    if (wider) {
        command = read_parameter(wider, arena, PARAMETERS_COMMAND);
        CloseHandle(wider);
    }
    return command;
}

/* The user of a token; the caller frees. */
static TOKEN_USER *token_user(HANDLE process)
{
    HANDLE token;
    DWORD size = 0;
    TOKEN_USER *user = NULL;
    if (!OpenProcessToken(process, TOKEN_QUERY, &token))
        return NULL;
    GetTokenInformation(token, TokenUser, NULL, 0, &size);
    if (size > 0 && size < 4096) {
        user = memory_new(size);
        if (!GetTokenInformation(token, TokenUser, user, size, &size)) {
            free(user);
            user = NULL;
        }
    }
    CloseHandle(token);
    return user;
}

/* Names that were looked up before: the question may go to a domain's server, and one that is not
 * there is waited for. Every 16th place is overwritten in turn. */
struct known_user {
    unsigned char sid[SECURITY_MAX_SID_SIZE];
    DWORD size;        /* 0: free */
    char name[256];    /* "": nobody could tell */
    ULONGLONG tick_ms; /* when it was looked up */
};

static struct {
    SRWLOCK lock;
    struct known_user users[64];
    unsigned next;
} known = {.lock = SRWLOCK_INIT};

static bool find_user(PSID sid, DWORD size, char name[256])
{
    bool found = false;
    AcquireSRWLockShared(&known.lock);
    for (size_t i = 0; i < sizeof known.users / sizeof *known.users && !found; i++) {
        const struct known_user *user = &known.users[i];
        bool lasts = user->name[0] || GetTickCount64() - user->tick_ms < NAMELESS_MS;
        found = user->size == size && memcmp(user->sid, sid, size) == 0 && lasts;
        if (found)
            memcpy(name, known.users[i].name, 256);
    }
    ReleaseSRWLockShared(&known.lock);
    return found;
}

static void keep_user(PSID sid, DWORD size, const char name[256])
{
    if (size > sizeof known.users[0].sid)
        return;
    AcquireSRWLockExclusive(&known.lock);
    struct known_user *user =
        &known.users[known.next++ % (sizeof known.users / sizeof *known.users)];
    memcpy(user->sid, sid, size);
    user->size = size;
    user->tick_ms = GetTickCount64();
    memcpy(user->name, name, 256);
    ReleaseSRWLockExclusive(&known.lock);
}

/* "S-1-5-21-1-2-3-1001": whom nobody knows a name of. */
static void spell_user(PSID sid, char name[256])
{
    const SID_IDENTIFIER_AUTHORITY *authority = GetSidIdentifierAuthority(sid);
    unsigned long long value = 0;
    int length;
    for (int i = 0; i < 6; i++)
        value = value << 8 | authority->Value[i];
    length = snprintf(name, 256, "S-1-%llu", value);
    for (DWORD i = 0; i < *GetSidSubAuthorityCount(sid) && length < 240; i++)
        length +=
            snprintf(name + length, 256 - (size_t)length, "-%lu", *GetSidSubAuthority(sid, i));
}

static void look_up_user(PSID sid, char name[256])
{
    wchar_t account[256], domain[256];
    DWORD account_size = 256, domain_size = 256;
    SID_NAME_USE use;
    memset(name, 0, 256);
    if (!LookupAccountSidW(NULL, sid, account, &account_size, domain, &domain_size, &use) ||
        WideCharToMultiByte(CP_UTF8, 0, account, -1, name, 255, NULL, NULL) <= 1)
        spell_user(sid, name);
}

struct raw_text process_door_user(HANDLE process, struct arena *arena)
{
    TOKEN_USER *user = token_user(process);
    char name[256];
    if (!user)
        return (struct raw_text){0};
    DWORD size = GetLengthSid(user->User.Sid);
    if (!find_user(user->User.Sid, size, name)) {
        look_up_user(user->User.Sid, name);
        keep_user(user->User.Sid, size, name);
    }
    free(user);
    return (struct raw_text){arena_string(arena, name, strlen(name)), strlen(name)};
}

static bool is_of_our_user(HANDLE process)
{
    TOKEN_USER *its = token_user(process), *ours = token_user(GetCurrentProcess());
    bool same = its && ours && EqualSid(its->User.Sid, ours->User.Sid);
    free(its);
    free(ours);
    return same;
}

struct raw_text process_door_environment(HANDLE process, struct arena *arena)
{
    uintptr_t parameters = is_of_our_user(process) ? parameters_of(process) : 0, at = 0;
    size_t size = 0;
    SIZE_T got;
    if (parameters == 0 ||
        !ReadProcessMemory(process, (const void *)(parameters + PARAMETERS_ENVIRONMENT), &at,
                           sizeof at, &got) ||
        !ReadProcessMemory(process, (const void *)(parameters + PARAMETERS_ENVIRONMENT_SIZE), &size,
                           sizeof size, &got) ||
        size % sizeof(wchar_t) != 0 || size > ENVIRONMENT_BYTES_MAX)
        return (struct raw_text){0};
    return read_units(process, arena, at, size);
}

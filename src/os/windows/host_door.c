#include "os/windows/host.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#include "base/text.h"
#include "os/windows/wide.h"

enum { TIME_OF_DAY_CLASS = 3, PAGE_FILE_CLASS = 18, BOOT_IDENTIFIER_CLASS = 90 };
enum { NAME_UNITS = 256, PAGE_FILE_BYTES = 16384 };

typedef NTSTATUS(NTAPI query_function)(int, void *, ULONG, ULONG *);
typedef NTSTATUS(NTAPI version_function)(OSVERSIONINFOW *);

static void *ntdll_function(const char *name)
{
    HMODULE module = GetModuleHandleW(L"ntdll.dll");
    return module ? (void *)GetProcAddress(module, name) : NULL;
}

static struct raw_text computer_name(struct arena *arena)
{
    wchar_t units[NAME_UNITS];
    DWORD count = NAME_UNITS;
    return GetComputerNameExW(ComputerNameDnsHostname, units, &count)
               ? wide_to_utf8(arena, units, count)
               : (struct raw_text){NULL, 0};
}

/* "10.0.22631": GetVersionEx would say what the manifest says. */
static struct raw_text kernel_version(struct arena *arena)
{
    version_function *get = (version_function *)ntdll_function("RtlGetVersion");
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    char words[64];
    if (!get || get(&version) < 0)
        return (struct raw_text){NULL, 0};
    int length = snprintf(words, sizeof words, "%lu.%lu.%lu", version.dwMajorVersion,
                          version.dwMinorVersion, version.dwBuildNumber);
    return (struct raw_text){arena_string(arena, words, (size_t)length), (size_t)length};
}

/* Windows makes a GUID at every start (SystemBootEnvironmentInformation); where it gives none, the
 * time of the start, which is as good to tell two starts apart. */
static struct raw_text boot_id(struct arena *arena)
{
    query_function *query = (query_function *)ntdll_function("NtQuerySystemInformation");
    struct {
        GUID identifier;
        uint32_t firmware_type;
        uint64_t flags;
    } environment = {0};
    struct {
        int64_t boot_100ns, now_100ns, zone_100ns;
        uint32_t zone_id, unused;
        uint64_t boot_bias_100ns, sleep_bias_100ns;
    } time = {0};
    char words[64];
    int length = 0;
    if (query && query(BOOT_IDENTIFIER_CLASS, &environment, sizeof environment, NULL) >= 0) {
        const GUID *id = &environment.identifier;
        length = snprintf(words, sizeof words, "%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                          id->Data1, id->Data2, id->Data3, id->Data4[0], id->Data4[1], id->Data4[2],
                          id->Data4[3], id->Data4[4], id->Data4[5], id->Data4[6], id->Data4[7]);
    } else if (query && query(TIME_OF_DAY_CLASS, &time, sizeof time, NULL) >= 0) {
        length = snprintf(words, sizeof words, "%lld", (long long)time.boot_100ns);
    }
    return length > 0
               ? (struct raw_text){arena_string(arena, words, (size_t)length), (size_t)length}
               : (struct raw_text){NULL, 0};
}

static int64_t of_filetime(const FILETIME *time)
{
    return (int64_t)((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime);
}

/* The kernel's time includes the idle time. Both sums are over all processors, in 100 ns. */
static void read_processors(struct host_reading *host)
{
    FILETIME idle, kernel, user;
    host->cpu_count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    if (!GetSystemTimes(&idle, &kernel, &user))
        return;
    int64_t total = of_filetime(&kernel) + of_filetime(&user);
    host->cpu_total_ticks = measured_known(total);
    host->cpu_busy_ticks = measured_known(total - of_filetime(&idle));
}

static struct measured of_bytes(uint64_t bytes)
{
    return bytes <= INT64_MAX ? measured_known((int64_t)bytes)
                              : measured_unknown(REASON_incredible_value);
}

static void read_memory(struct host_reading *host)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    if (!GlobalMemoryStatusEx(&memory))
        return;
    host->memory_total_bytes = of_bytes(memory.ullTotalPhys);
    host->memory_available_bytes = of_bytes(memory.ullAvailPhys);
}

struct page_file {
    uint32_t next_offset; /* 0: the last one */
    uint32_t total_pages, used_pages, peak_pages;
    UNICODE_STRING name;
};

/* The page files are the swap. (GlobalMemoryStatusEx tells how much may be committed, which is
 * something else.) */
static void read_page_files(struct host_reading *host)
{
    query_function *query = (query_function *)ntdll_function("NtQuerySystemInformation");
    _Alignas(struct page_file) unsigned char table[PAGE_FILE_BYTES];
    ULONG used = 0;
    SYSTEM_INFO info;
    uint64_t total = 0, in_use = 0;
    if (!query || query(PAGE_FILE_CLASS, table, sizeof table, &used) < 0 || used > sizeof table)
        return;
    GetSystemInfo(&info);
    for (size_t at = 0; at + sizeof(struct page_file) <= used;) {
        const struct page_file *file = (const struct page_file *)(const void *)(table + at);
        total += (uint64_t)file->total_pages * info.dwPageSize;
        in_use += (uint64_t)file->used_pages * info.dwPageSize;
        if (file->next_offset < sizeof(struct page_file))
            break;
        at += file->next_offset;
    }
    host->swap_total_bytes = of_bytes(total);
    host->swap_free_bytes = of_bytes(in_use <= total ? total - in_use : 0);
}

void windows_host_read(struct arena *arena, struct host_reading *host)
{
    host->name = computer_name(arena);
    host->kernel = kernel_version(arena);
    host->boot_id = boot_id(arena);
    read_processors(host);
    read_memory(host);
    read_page_files(host);
}

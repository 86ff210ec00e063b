#include "os/macos/process_list_door.h"

#include <errno.h>
#include <libproc.h>
#include <mach/mach_time.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/number.h"
#include "os/macos/calls.h"
#include "os/macos/kinfo.h"

enum { TABLE_TRIES = 5, TABLE_SLACK = 64, ARGUMENTS_LIMIT = 1 << 20, LAUNCHD = 1 };

_Static_assert(sizeof(struct rusage_info_v4) == 296, "rusage_info_v4");
_Static_assert(offsetof(struct rusage_info_v4, ri_user_time) == 16 &&
                   offsetof(struct rusage_info_v4, ri_system_time) == 24 &&
                   offsetof(struct rusage_info_v4, ri_resident_size) == 64 &&
                   offsetof(struct rusage_info_v4, ri_phys_footprint) == 72,
               "rusage_info_v4");

/* The table grows between asking for its size and reading it. The caller frees. */
static char *read_table(size_t *count)
{
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_ALL};
    for (int i = 0; i < TABLE_TRIES; i++) {
        size_t size = 0;
        if (sysctl(name, 3, NULL, &size, NULL, 0) != 0)
            return NULL;
        size += (size_t)TABLE_SLACK * KINFO_BYTES;
        char *table = memory_new(size);
        if (sysctl(name, 3, table, &size, NULL, 0) == 0) {
            *count = size / KINFO_BYTES;
            return table;
        }
        free(table);
        if (errno != ENOMEM)
            return NULL;
    }
    return NULL;
}

static bool read_record(int64_t pid, char record[KINFO_BYTES])
{
    if (pid <= 0 || pid > INT32_MAX)
        return false;
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)pid};
    size_t size = KINFO_BYTES;
    return sysctl(name, 4, record, &size, NULL, 0) == 0 && size == KINFO_BYTES;
}

bool macos_process_read(struct arena *arena, int64_t pid, struct macos_process *process)
{
    char record[KINFO_BYTES];
    return read_record(pid, record) && kinfo_parse(arena, record, process) && process->pid == pid;
}

int64_t macos_process_started_us(int64_t pid)
{
    char record[KINFO_BYTES];
    return read_record(pid, record) ? kinfo_started_us(record) : 0;
}

bool macos_process_arguments(struct arena *arena, int64_t pid, struct process_arguments *arguments)
{
    if (pid <= 0 || pid > INT32_MAX)
        return false;
    int name[] = {CTL_KERN, KERN_PROCARGS2, (int)pid};
    size_t size = 0;
    if (sysctl(name, 3, NULL, &size, NULL, 0) != 0 || size == 0)
        return false;
    size = size < ARGUMENTS_LIMIT ? size : ARGUMENTS_LIMIT;
    char *bytes = memory_new(size);
    bool read = sysctl(name, 3, bytes, &size, NULL, 0) == 0;
    char *kept = read ? arena_string(arena, bytes, size) : NULL;
    free(bytes);
    return read && process_arguments_parse((struct raw_text){kept, size}, arguments);
}

struct raw_text macos_process_path(struct arena *arena, int64_t pid)
{
    char path[PROC_PIDPATHINFO_MAXSIZE];
    int length = pid > 0 && pid <= INT32_MAX ? proc_pidpath((int)pid, path, sizeof path) : 0;
    if (length <= 0)
        return (struct raw_text){NULL, 0};
    return (struct raw_text){arena_string(arena, path, (size_t)length), (size_t)length};
}

/* CPU time is in the units of mach_absolute_time(): 125/3 ns on Apple's chips. */
static struct measured nanoseconds(uint64_t user, uint64_t system)
{
    mach_timebase_info_data_t base;
    uint64_t units;
    if (__builtin_add_overflow(user, system, &units) || mach_timebase_info(&base) != 0 ||
        base.denom == 0)
        return measured_unknown(REASON_incredible_value);
    uint64_t whole = units / base.denom, rest = units % base.denom, ns;
    if (__builtin_mul_overflow(whole, base.numer, &ns) ||
        __builtin_add_overflow(ns, rest * base.numer / base.denom, &ns) || ns > INT64_MAX)
        return measured_unknown(REASON_incredible_value);
    return measured_known((int64_t)ns);
}

static void read_usage(struct macos_process *process)
{
    struct rusage_info_v4 usage;
    if (proc_pid_rusage((int)process->pid, RUSAGE_INFO_V4, (rusage_info_t *)&usage) != 0) {
        enum reason why = errno == EPERM ? REASON_not_permitted : REASON_call_failed;
        process->cpu_time_ns = process->ram_bytes = measured_unknown(why);
        return;
    }
    process->cpu_time_ns = nanoseconds(usage.ri_user_time, usage.ri_system_time);
    process->ram_bytes = usage.ri_resident_size <= INT64_MAX
                             ? measured_known((int64_t)usage.ri_resident_size)
                             : measured_unknown(REASON_incredible_value);
}

static void read_details(struct arena *arena, struct macos_process *process)
{
    struct process_arguments arguments;
    process->path = macos_process_path(arena, process->pid);
    if (macos_process_arguments(arena, process->pid, &arguments))
        process->command = arguments.command;
    read_usage(process);
}

static bool is_wanted(const struct macos_process_details *details, int64_t pid)
{
    for (size_t i = 0; i < details->count; i++)
        if (details->pids[i] == pid)
            return true;
    return false;
}

/* Short information is given of anybody's process, except where a sandbox denies it. */
static bool is_sandboxed(void)
{
    char record[SHORT_BYTES];
    errno = 0;
    return macos_calls.pid_info(LAUNCHD, PID_SHORT_INFO, 0, record, SHORT_BYTES) <= 0 &&
           errno == EPERM;
}

void macos_process_list_read(struct arena *arena, const struct macos_process_details *details,
                             struct macos_process_list *list)
{
    size_t count = 0;
    char *table = read_table(&count);
    *list = (struct macos_process_list){
        .read = table != NULL, .own_uid = geteuid(), .sandboxed = is_sandboxed()};
    struct macos_process *processes = ARENA_ARRAY(arena, struct macos_process, count);
    for (size_t i = 0; i < count; i++) {
        struct macos_process *process = &processes[list->count];
        if (!kinfo_parse(arena, table + i * KINFO_BYTES, process))
            continue;
        if (is_wanted(details, process->pid))
            read_details(arena, process);
        list->count++;
    }
    list->processes = processes;
    free(table);
}

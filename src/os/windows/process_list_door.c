#include "os/windows/process_list.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#include "base/fatal.h"
#include "os/windows/wide.h"

enum {
    PROCESS_TABLE_CLASS = 5, /* SystemProcessInformation */
    FIRST_BYTES = 256 << 10,
    MOST_BYTES = 64 << 20,
    TRIES = 8,
    NAME_UNITS_MAX = 4096,
};

#define LENGTH_MISMATCH ((NTSTATUS)0xC0000004)

/* As x64 and ARM64 lay it out; winternl.h hides the times. Threads follow each entry.
 * Source: reference windows.md section 4, computed and tried. */
struct entry {
    uint32_t next_offset; /* 0: the last one */
    uint32_t thread_count;
    int64_t working_set_private_bytes;
    uint32_t unused[4];
    int64_t create_time, user_time, kernel_time; /* 100 ns */
    struct {
        uint16_t length_bytes, capacity_bytes;
        const wchar_t *units;
    } name;
    int32_t base_priority;
    uintptr_t pid, parent_pid;
    uint32_t handle_count, session_id;
    uintptr_t unique_process_key;
    uintptr_t peak_virtual_bytes, virtual_bytes;
    uint32_t page_fault_count;
    uintptr_t peak_working_set_bytes, working_set_bytes;
};

_Static_assert(offsetof(struct entry, create_time) == 32, "layout of 64-bit Windows");
_Static_assert(offsetof(struct entry, name) == 56, "layout of 64-bit Windows");
_Static_assert(offsetof(struct entry, pid) == 80, "layout of 64-bit Windows");
_Static_assert(offsetof(struct entry, session_id) == 100, "layout of 64-bit Windows");
_Static_assert(offsetof(struct entry, working_set_bytes) == 144, "layout of 64-bit Windows");

typedef NTSTATUS(NTAPI query_function)(int, void *, ULONG, ULONG *);

static query_function *find_query(void)
{
    HMODULE module = GetModuleHandleW(L"ntdll.dll");
    return module ? (query_function *)(void *)GetProcAddress(module, "NtQuerySystemInformation")
                  : NULL;
}

/* The whole table; NULL when it can't be had. The caller frees. The list may grow between two
 * calls: a quarter more than was asked for is offered. */
static unsigned char *read_table(size_t *size)
{
    query_function *query = find_query();
    ULONG capacity = FIRST_BYTES, used = 0;
    for (int i = 0; query && i < TRIES && capacity <= MOST_BYTES; i++) {
        unsigned char *table = memory_new(capacity);
        NTSTATUS status = query(PROCESS_TABLE_CLASS, table, capacity, &used);
        if (status >= 0) {
            *size = used > 0 && used <= capacity ? used : capacity;
            return table;
        }
        free(table);
        if (status != LENGTH_MISMATCH)
            return NULL;
        capacity = (used > capacity ? used : capacity) / 4 * 5 + 4096;
    }
    return NULL;
}

/* The name's units must lie within the table. */
static struct raw_text name_of(struct arena *arena, const struct entry *entry,
                               const unsigned char *table, size_t size)
{
    uintptr_t begin = (uintptr_t)table, at = (uintptr_t)entry->name.units;
    size_t bytes = entry->name.length_bytes;
    if (bytes == 0 || at < begin || at - begin > size || bytes > size - (at - begin) ||
        bytes / sizeof(wchar_t) > NAME_UNITS_MAX)
        return (struct raw_text){NULL, 0};
    return wide_to_utf8(arena, entry->name.units, bytes / sizeof(wchar_t));
}

static int64_t clamp(uintptr_t value)
{
    return value <= INT64_MAX ? (int64_t)value : 0;
}

static struct windows_process process_of(struct arena *arena, const struct entry *entry,
                                         const unsigned char *table, size_t size)
{
    struct windows_process process = {
        .pid = clamp(entry->pid),
        .parent_pid = clamp(entry->parent_pid),
        .name = name_of(arena, entry, table, size),
        .created_100ns = entry->create_time > 0 ? entry->create_time : 0,
        .working_set_bytes = measured_known(clamp(entry->working_set_bytes)),
    };
    int64_t cpu;
    if (entry->user_time >= 0 && entry->kernel_time >= 0 &&
        !__builtin_add_overflow(entry->user_time, entry->kernel_time, &cpu))
        process.cpu_100ns = measured_known(cpu);
    return process;
}

/* Calls nothing beyond the table's end, whatever the offsets say. */
static const struct entry *entry_at(const unsigned char *table, size_t size, size_t at)
{
    return at <= size && size - at >= sizeof(struct entry)
               ? (const struct entry *)(const void *)(table + at)
               : NULL;
}

void windows_process_list_read(struct arena *arena, struct windows_process_list *list)
{
    size_t size, count = 0;
    unsigned char *table = read_table(&size);
    const struct entry *entry;
    *list = (struct windows_process_list){.read = table != NULL};
    if (!table)
        return;
    for (size_t at = 0; (entry = entry_at(table, size, at)); at += entry->next_offset) {
        count++;
        if (entry->next_offset == 0)
            break;
    }
    struct windows_process *items = ARENA_ARRAY(arena, struct windows_process, count);
    for (size_t at = 0, i = 0; i < count && (entry = entry_at(table, size, at));
         at += entry->next_offset)
        items[i++] = process_of(arena, entry, table, size);
    free(table);
    list->items = items;
    list->count = count;
}

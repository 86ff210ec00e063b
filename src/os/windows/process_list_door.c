#include "os/windows/process_list.h"

#include <stdlib.h>
#include <windows.h>
#include <winternl.h>

#include "base/fatal.h"
#include "os/windows/process_table.h"

enum {
    PROCESS_TABLE_CLASS = 5, /* SystemProcessInformation */
    FIRST_BYTES = 256 << 10,
    MOST_BYTES = 64 << 20,
    TRIES = 8,
};

#define LENGTH_MISMATCH ((NTSTATUS)0xC0000004)

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

void windows_process_list_read(struct arena *arena, struct windows_process_list *list)
{
    size_t size;
    unsigned char *table = read_table(&size);
    *list = (struct windows_process_list){.read = false};
    if (!table)
        return;
    process_table_read(arena, table, size, (uintptr_t)table, list);
    free(table);
}

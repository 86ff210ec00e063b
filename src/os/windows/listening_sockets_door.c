#include "os/listening_sockets.h"

#include <stdlib.h>
#include <windows.h>

#include "base/fatal.h"
#include "os/windows/tcp_library.h"
#include "os/windows/tcp_table.h"

enum { LISTENERS_WITH_OWNER = 3, FAMILY_V4 = 2, FAMILY_V6 = 23, TRIES = 5 };

static const DWORD table_bytes_max = 4 * 1024 * 1024;

typedef DWORD(WINAPI *table_function)(void *, DWORD *, BOOL, ULONG, int, ULONG);

/* Loaded when the first server is looked for: most runs never need it. */
static table_function table_of(void)
{
    static _Atomic(table_function) loaded;
    table_function found = loaded;
    if (!found) {
        HMODULE library = LoadLibraryExW(tcp_table_library, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
        if (library)
            found = (table_function)(void *)GetProcAddress(library, "GetExtendedTcpTable");
        loaded = found;
    }
    return found;
}

/* The table grows between the two questions, so more than once. */
static void *read_table(table_function ask, ULONG family, DWORD *size)
{
    void *table = NULL;
    *size = 0;
    for (int i = 0; i < TRIES; i++) {
        DWORD room = *size;
        DWORD error = ask(table, size, FALSE, family, LISTENERS_WITH_OWNER, 0);
        if (error == NO_ERROR && table) {
            *size = room;
            return table;
        }
        free(table);
        table = NULL;
        if ((error != ERROR_INSUFFICIENT_BUFFER && error != NO_ERROR) || *size > table_bytes_max)
            return NULL;
        *size += 1024;
        table = memory_new(*size);
    }
    free(table);
    return NULL;
}

bool listening_sockets_each(bool (*take)(const struct listening_socket *socket, void *context),
                            void *context)
{
    static const ULONG families[] = {FAMILY_V4, FAMILY_V6};
    table_function ask = table_of();
    for (size_t i = 0; ask && i < sizeof families / sizeof *families; i++) {
        DWORD size;
        void *table = read_table(ask, families[i], &size);
        bool read = table && tcp_table_each(table, size, families[i] == FAMILY_V6, take, context);
        free(table);
        if (!read)
            return false;
    }
    return ask != NULL;
}

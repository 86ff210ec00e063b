/* GetExtendedTcpTable as it is on Windows, where wine tells no owners: FAKE_TCP names a file with
 * "PID PORT", one socket of 127.0.0.1 that is listened on a line. Own code. */
#include <stdio.h>
#include <string.h>
#include <windows.h>

enum { ROWS_MAX = 16, FAMILY_V4 = 2, LISTENERS_WITH_OWNER = 3, STATE_LISTEN = 2 };

struct row { /* MIB_TCPROW_OWNER_PID */
    DWORD state, address, port, remote_address, remote_port, pid;
};

struct table {
    DWORD count;
    struct row rows[ROWS_MAX];
};

static DWORD read_rows(struct row *rows)
{
    const char *path = getenv("FAKE_TCP");
    FILE *file = path ? fopen(path, "r") : NULL;
    unsigned long pid, port;
    DWORD count = 0;
    while (file && count < ROWS_MAX && fscanf(file, "%lu %lu", &pid, &port) == 2)
        rows[count++] = (struct row){.state = STATE_LISTEN,
                                     .address = 0x0100007f,
                                     .port = (port >> 8 & 0xff) | (port & 0xff) << 8,
                                     .pid = pid};
    if (file)
        fclose(file);
    return count;
}

__declspec(dllexport) DWORD WINAPI GetExtendedTcpTable(void *out, DWORD *size, BOOL sorted,
                                                       ULONG family, int class, ULONG reserved)
{
    struct table table = {.count = 0};
    (void)sorted, (void)reserved;
    if (class != LISTENERS_WITH_OWNER)
        return ERROR_INVALID_PARAMETER;
    if (family == FAMILY_V4)
        table.count = read_rows(table.rows);
    DWORD needed = sizeof table.count + table.count * sizeof *table.rows, room = *size;
    *size = needed;
    if (!out || room < needed)
        return ERROR_INSUFFICIENT_BUFFER;
    memcpy(out, &table, needed);
    return NO_ERROR;
}

#include "os/windows/tcp_table.h"

#include <string.h>

/* MIB_TCPROW_OWNER_PID and MIB_TCP6ROW_OWNER_PID (tcpmib.h): offsets in bytes. */
enum {
    ROW_SIZE = 24,
    ROW_STATE = 0,
    ROW_ADDRESS = 4,
    ROW_PORT = 8,
    ROW_PID = 20,
    ROW6_SIZE = 56,
    ROW6_ADDRESS = 0,
    ROW6_PORT = 20,
    ROW6_STATE = 48,
    ROW6_PID = 52,
    COUNT_SIZE = 4,
    STATE_LISTEN = 2,
};

static uint32_t number_at(const unsigned char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* Windows has no number for a socket: owner, port, and a digest of the address. */
static uint64_t name_of(uint32_t pid, int port, bool is_v6, const unsigned char address[16])
{
    uint32_t digest = is_v6 ? 6 : 4;
    for (size_t i = 0; i < 16; i++)
        digest = (digest ^ address[i]) * UINT32_C(16777619);
    return (uint64_t)pid << 32 | (uint64_t)(digest >> 16) << 16 | (uint64_t)port;
}

uint32_t tcp_table_owner(uint64_t inode)
{
    return (uint32_t)(inode >> 32);
}

static bool read_row(const unsigned char *row, bool is_v6, struct listening_socket *socket)
{
    const unsigned char *port = row + (is_v6 ? ROW6_PORT : ROW_PORT);
    uint32_t pid = number_at(row + (is_v6 ? ROW6_PID : ROW_PID));
    *socket = (struct listening_socket){.is_v6 = is_v6};
    memcpy(socket->address, row + (is_v6 ? ROW6_ADDRESS : ROW_ADDRESS), is_v6 ? 16 : 4);
    /* In the order of the network; what stands behind is undefined. */
    socket->port = port[0] << 8 | port[1];
    socket->inode = name_of(pid, socket->port, is_v6, socket->address);
    return number_at(row + (is_v6 ? ROW6_STATE : ROW_STATE)) == STATE_LISTEN && socket->port != 0;
}

bool tcp_table_each(const void *table, size_t size, bool is_v6,
                    bool (*take)(const struct listening_socket *socket, void *context),
                    void *context)
{
    const unsigned char *bytes = table;
    size_t row_size = is_v6 ? ROW6_SIZE : ROW_SIZE;
    if (size < COUNT_SIZE)
        return false;
    size_t count = number_at(bytes), room = (size - COUNT_SIZE) / row_size;
    for (size_t i = 0; i < count && i < room; i++) {
        struct listening_socket socket;
        if (read_row(bytes + COUNT_SIZE + i * row_size, is_v6, &socket) && !take(&socket, context))
            break;
    }
    return true;
}

/* The TCP sockets that are listened on and whose they are: the bytes that GetExtendedTcpTable
 * (TCP_TABLE_OWNER_PID_LISTENER) gives, of IPv4 and IPv6. */
#ifndef OS_WINDOWS_TCP_TABLE_H
#define OS_WINDOWS_TCP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/listening_sockets.h"

/* The rows of one answer, until `take` returns false. Rows that the size has no room for, and those
 * that are not listened on, are passed over; false when there is no whole count. */
bool tcp_table_each(const void *table, size_t size, bool is_v6,
                    bool (*take)(const struct listening_socket *socket, void *context),
                    void *context);
/* Whose a socket is, by the number that tcp_table_each() has made of owner, port and address. */
uint32_t tcp_table_owner(uint64_t inode);

#endif

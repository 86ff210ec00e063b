/* The TCP sockets of our own network namespace that are listened on, asked of the kernel directly
 * (Linux: sock_diag(7)): /proc/net/tcp has them too, but walks every connection's table, which
 * takes milliseconds. Windows: GetExtendedTcpTable. */
#ifndef OS_LISTENING_SOCKETS_H
#define OS_LISTENING_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

struct listening_socket {
    bool is_v6;
    unsigned char address[16]; /* in the order of the network; the first 4 of IPv4 */
    int port;
    uint64_t inode; /* tells sockets apart; of Windows made of owner, port and address */
};

/* Calls `take` for each until it returns false. False when the kernel does not answer completely:
 * then nothing that was taken may be relied on. */
bool listening_sockets_each(bool (*take)(const struct listening_socket *socket, void *context),
                            void *context);

#endif

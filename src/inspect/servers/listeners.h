/* Which TCP sockets are listened on, as far as they can be reached over the loopback interface. */
#ifndef INSPECT_SERVERS_LISTENERS_H
#define INSPECT_SERVERS_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/inside.h"

enum { LISTENERS_MAX = 512, LISTENER_ADDRESS_SIZE = 16 };

struct listener {
    char address[LISTENER_ADDRESS_SIZE]; /* what to connect to: "127.0.0.1", "127.0.0.2", "::1" */
    bool any;                            /* bound to every address */
    int port;
    uint64_t inode;
};

struct listener_list {
    struct listener items[LISTENERS_MAX];
    size_t count;
    bool cut; /* there are more: nothing can be told of those that are missing */
};

/* False when the loopback does not reach it. Pure. */
bool listener_of(const struct listening_socket *socket, struct listener *listener);
/* Those of the network namespace of the process; 0: of our own. False when its table cannot be
 * read. */
bool listeners_read(const struct inside *inside, int64_t pid, struct listener_list *list);
/* The listener with this socket, or NULL. */
const struct listener *listeners_find(const struct listener_list *list, uint64_t inode);
/* True when a connection to this listener can reach no socket of anybody else: whatever listens on
 * its port here is among `owned`. */
bool listener_is_exclusive(const struct listener_list *list, const struct listener *listener,
                           const struct open_socket *owned, size_t owned_count);

#endif

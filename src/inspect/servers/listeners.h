/* Which TCP sockets are listened on (proc_pid_net(5): net/tcp and net/tcp6), as far as they can be
 * reached over the loopback interface. */
#ifndef INSPECT_SERVERS_LISTENERS_H
#define INSPECT_SERVERS_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "os/linux/process_files.h"
#include "os/root.h"

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

/* One line of the table: false when it is no listening socket that the loopback reaches. Pure. */
bool listener_parse(struct raw_text line, bool is_v6, struct listener *listener);
/* Those of the network namespace of the process at `folder` ("proc/42", "proc/self"). False when
 * its table cannot be read. */
bool listeners_read(const struct root *root, const char *folder, struct listener_list *list);
/* The listener with this socket, or NULL. */
const struct listener *listeners_find(const struct listener_list *list, uint64_t inode);
/* True when a connection to this listener can reach no socket of anybody else: whatever listens on
 * its port here is among `owned`. */
bool listener_is_exclusive(const struct listener_list *list, const struct listener *listener,
                           const struct open_socket *owned, size_t owned_count);

#endif

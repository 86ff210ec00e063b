/* Asks the server of one process what it holds, over the loopback interface, and nobody else: the
 * socket must be that process's own, proven through its descriptors and our own namespace's table
 * of sockets, just before anything is sent. Blocks for up to 300 ms a request: for workers. */
#ifndef INSPECT_SERVERS_ASK_H
#define INSPECT_SERVERS_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "inspect/gathered.h"
#include "os/inside.h"

struct server_target {
    struct identity identity;
    enum server_kind kind;
    const struct open_socket *sockets; /* its own, as they were listed */
    size_t socket_count;
    int64_t port;        /* its flags say so, asked first; 0: unknown */
    struct raw_text key; /* from its own command line, sent to no other; length 0: none */
};

/* Fills *state (cleared first). False: nobody answered. *note (may stay none) says what was wrong
 * with a reply. Everything is in the arena. */
bool server_ask(const struct inside *inside, struct arena *arena,
                const struct server_target *target, struct server_state *state, struct text *note);

#endif

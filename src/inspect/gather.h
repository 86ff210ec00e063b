/* Gathers the facts about one process: what the system shows of it, the headers of its models, its
 * load logs and the stores that name them, and asks its server. Blocks: for inspect workers. */
#ifndef INSPECT_GATHER_H
#define INSPECT_GATHER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/reference.h"
#include "inspect/file_cache.h"
#include "inspect/gathered.h"
#include "inspect/inspector.h"
#include "os/inside.h"

enum { LISTENED_PORTS_MAX = 16 };

/* Where to look. */
struct gather_place {
    const struct inside *inside;
    const struct root *root; /* its files */
    bool recorded;           /* then no server is asked, whatever `probe` says */
    bool probe;
    struct file_cache *files;
};

/* A server that may be asked: whose sockets, in which words. */
struct server_place {
    enum server_kind kind; /* SERVER_NONE: there is none */
    struct identity identity;
    struct raw_text command; /* its own: a key in it goes to these sockets and nowhere else */
    const struct open_socket *sockets;
    size_t socket_count;
    int64_t port; /* its flags say so; 0: unknown */
};

/* What one gathering brought and later ones may share; immutable once made. */
struct inspection_parts {
    struct reference reference;
    struct arena *arena;
    struct gathered gathered; /* without server */
    struct known_file *files[GATHERED_FILES_MAX];
    size_t file_count;
    struct known_log *logs[GATHERED_LOGS_MAX];
    size_t log_count;
    struct server_place own, above; /* its own server and its parent's */
};

struct inspection_parts *inspection_parts_take(const struct inspection_parts *parts);
void inspection_parts_drop(struct inspection_parts **parts);

/* NULL when the process is gone or has become another. `previous` (may be NULL) lends what has not
 * changed since. */
struct inspection_parts *gather_process(const struct gather_place *place,
                                        const struct inspection_wish *wish,
                                        const struct inspection_parts *previous);
/* Asks the servers of these parts and puts their answers, and notes, into *gathered. */
void gather_servers(const struct gather_place *place, const struct inspection_parts *parts,
                    struct arena *arena, struct gathered *gathered);
/* True for a process that holds models, or a runtime that might: worth looking at again soon. */
bool gathered_is_of_interest(const struct gathered *gathered);

#endif

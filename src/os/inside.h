/* What can be seen inside a process: its program and command line, the files it has mapped and
 * open, its sockets and outputs. The inspector's only way to a process, on every system: each fills
 * in the table with what it offers (os/linux/inside.c, os/windows/inside_door.c).
 *
 * Texts are raw bytes from outside, in the arena that is given; bytes NULL: unknown, or it may not
 * be read. Every call is bounded, but may block in the kernel: for inspect workers. */
#ifndef OS_INSIDE_H
#define OS_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "os/listening_sockets.h"
#include "os/process_files.h"
#include "os/root.h"
#include "reading/identity.h"
#include "reading/measured.h"

struct arena;
struct inside;

struct process_about {
    uint64_t start_stamp;       /* as in its identity */
    int64_t parent_pid;         /* 0: none, or unknown */
    struct raw_text name;       /* the system's short name for it */
    struct raw_text executable; /* absolute */
    struct raw_text cwd;
    struct raw_text command; /* arguments, each followed by a NUL */
};

/* What a descriptor leads to. */
struct process_descriptor {
    struct raw_text target;   /* "/var/log/x.log", "socket:[12345]" */
    struct raw_text place;    /* where to read it in the tree; bytes NULL: by its path */
    struct measured position; /* of the next byte */
};

enum listening_answer {
    LISTENING_COMPLETE,
    LISTENING_CUT,     /* there may be more: nothing can be told of those that are missing */
    LISTENING_UNKNOWN, /* it may not be read */
};

/* Calls return false where the process is gone, or offers nothing of the kind. */
struct inside_ops {
    /* False: gone. */
    bool (*about)(const struct inside *inside, struct arena *arena, int64_t pid,
                  struct process_about *about);
    /* All of it, NAME=VALUE, each followed by a NUL: the caller keeps what is needed. */
    struct raw_text (*environment)(const struct inside *inside, struct arena *arena, int64_t pid);
    /* False when it is gone, or its number is another's by now (checked before and after). */
    bool (*files)(const struct inside *inside, struct arena *arena, struct identity identity,
                  struct process_files *files);
    bool (*descriptor)(const struct inside *inside, struct arena *arena, int64_t pid, int fd,
                       struct process_descriptor *descriptor);
    /* What stands in the tree in front of the absolute paths of a process that sees another tree
     * (a container): "proc/42/root"; "" for all others. */
    void (*prefix)(const struct inside *inside, int64_t pid, char *prefix, size_t size);
    /* Its number in its own namespace, which is what it prints. */
    int64_t (*inner_pid)(const struct inside *inside, int64_t pid);
    /* The TCP sockets that are listened on where that process is; 0: where we are. Ends early when
     * `take` returns false; NULL: forget what was given so far, it begins anew. */
    enum listening_answer (*listening)(const struct inside *inside, int64_t pid,
                                       bool (*take)(const struct listening_socket *socket,
                                                    void *context),
                                       void *context);
    /* Asked just before a socket is connected to: it still is this very process's. */
    bool (*holds_socket)(const struct inside *inside, struct identity identity,
                         const struct open_socket *socket);
};

/* For a system that offers none of it: no descriptors are shown, every process sees the same tree
 * and the same numbers, no sockets are known. */
bool inside_no_descriptor(const struct inside *inside, struct arena *arena, int64_t pid, int fd,
                          struct process_descriptor *descriptor);
void inside_no_prefix(const struct inside *inside, int64_t pid, char *prefix, size_t size);
int64_t inside_same_pid(const struct inside *inside, int64_t pid);
enum listening_answer inside_no_listening(const struct inside *inside, int64_t pid,
                                          bool (*take)(const struct listening_socket *socket,
                                                       void *context),
                                          void *context);
bool inside_no_socket(const struct inside *inside, struct identity identity,
                      const struct open_socket *socket);

struct inside {
    const struct inside_ops *ops; /* NULL: nothing can be seen inside processes */
    const void *context;          /* of the operations */
    const struct root *files;     /* what their paths lead to */
    bool recorded;                /* nothing outside `files` may be asked or read */
    bool shows_open_files;        /* a system that does not show them hides nothing by that */
    const char *how_to_see_more;  /* "with sudo" */
};

#endif

/* Who a process is: namespace, pid and the operating system's own start stamp. A reused pid is a
 * different process everywhere. */
#ifndef READING_IDENTITY_H
#define READING_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

enum pid_namespace {
    NAMESPACE_LOCAL,   /* looked up in the local process table */
    NAMESPACE_HOST,    /* H: a host pid seen from inside a container; never looked up */
    NAMESPACE_WINDOWS, /* W: a Windows pid seen from WSL; never looked up */
};

struct identity {
    int64_t pid;
    /* Opaque, from the OS (Linux: field 22 of /proc/PID/stat, clock ticks after boot). Not a wall
     * clock. IDENTITY_NO_STAMP when unknown. */
    uint64_t start_stamp;
    uint32_t
        space; /* enum pid_namespace; an integer of fixed size, so that the struct has no padding */
    uint32_t unused;
};

#define IDENTITY_NO_STAMP UINT64_MAX

static inline struct identity identity_make(enum pid_namespace space, int64_t pid, uint64_t stamp)
{
    return (struct identity){.pid = pid, .start_stamp = stamp, .space = (uint32_t)space};
}

static inline bool identity_equal(struct identity a, struct identity b)
{
    return a.pid == b.pid && a.start_stamp == b.start_stamp && a.space == b.space;
}

enum { IDENTITY_ID_SIZE = 64 };
/* "local/4242/181237" ("?" for an unknown stamp): the key of diff, record and signal. */
void identity_format(struct identity identity, char out[IDENTITY_ID_SIZE]);
/* The reverse; false when malformed. */
bool identity_parse(const char *id, struct identity *identity);
/* "4242", "H:645400", "W:9000". */
void identity_label(struct identity identity, char out[IDENTITY_ID_SIZE]);

#endif

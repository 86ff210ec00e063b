/* What one process has open and mapped, for the inspector: files and sockets. Bounded; portable
 * over os/root.h. Costs a system call a descriptor: only for processes somebody looks at. */
#ifndef OS_LINUX_PROCESS_FILES_H
#define OS_LINUX_PROCESS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "os/root.h"
#include "reading/identity.h"

struct arena;

/* A mapped file, once however many mappings it has. */
struct mapped_file {
    struct raw_text path; /* without " (deleted)" */
    bool deleted;
    bool executable; /* at least one mapping is: a program or library */
    uint64_t inode;
    uint32_t device_major, device_minor;
    uint64_t mapped_bytes; /* all its mappings together */
    uint64_t start, end;   /* addresses of the first: its name in /proc/PID/map_files */
};

/* An open descriptor of a file with a name. Device files, /proc and /sys are left out. */
struct open_file {
    int32_t fd;
    struct raw_text path;
    bool deleted;
};

struct open_socket {
    int32_t fd;
    uint64_t inode; /* as in /proc/net/tcp */
};

/* Everything lives in the arena. A list that could not be read is not known, instead of empty; one
 * that was too long is cut. */
struct process_files {
    bool mapped_known, open_known;
    bool mapped_cut, open_cut;
    const struct mapped_file *mapped;
    size_t mapped_count;
    const struct open_file *open;
    size_t open_count;
    const struct open_socket *sockets;
    size_t socket_count;
};

enum { PROCESS_FILES_MAX = 4096 }; /* of each kind */

/* False when the process is gone, or its number is another's by now (checked before and after). */
bool process_files_read(const struct root *root, struct arena *arena, struct identity identity,
                        struct process_files *files);
/* "socket:[12345]" */
bool socket_inode_parse(struct raw_text target, uint64_t *inode);

#endif

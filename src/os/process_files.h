/* What one process has open and mapped, for the inspector: files and sockets. Bounded. */
#ifndef OS_PROCESS_FILES_H
#define OS_PROCESS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* A mapped file, once however many mappings it has. */
struct mapped_file {
    struct raw_text path;  /* without Linux's " (deleted)" */
    struct raw_text place; /* where to read it in the tree instead; bytes NULL: by its path */
    bool deleted;
    bool executable;        /* at least one mapping is: a program or library */
    uint64_t device, inode; /* which file it is; Linux: major << 32 | minor; 0, 0: unknown */
    uint64_t mapped_bytes;  /* all its mappings together */
    uint64_t file_bytes; /* of the file, where the system says so without opening it; 0: unknown */
};

/* An open descriptor of a file with a name. Device files, /proc and /sys are left out. */
struct open_file {
    int32_t fd;
    struct raw_text path;
    struct raw_text place; /* as of a mapped file */
    bool deleted;
};

struct open_socket {
    int32_t fd;     /* -1: the system names none */
    uint64_t inode; /* struct listening_socket has the same */
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

#endif

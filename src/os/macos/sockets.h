/* What a process has open: files with a name, and TCP sockets that it listens on. Own processes;
 * root: all. Source: xnu bsd/sys/proc_info.h. */
#ifndef OS_MACOS_SOCKETS_H
#define OS_MACOS_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "os/listening_sockets.h"
#include "os/macos/calls.h"
#include "os/process_files.h"

enum { MACOS_DESCRIPTORS_MAX = 16384 };

/* The open files and sockets of `files`. What may not be read leaves open_known false. */
void macos_open_files_read(const struct macos_calls *calls, struct arena *arena, int64_t pid,
                           struct process_files *files);
/* The record of one descriptor that leads to a file (FD_FILE_BYTES); false: it is none. */
bool macos_open_file(const struct macos_calls *calls, int64_t pid, int fd, char *record);

/* One record of a socket (FD_SOCKET_BYTES). False: it is not a TCP socket that is listened on. */
bool macos_socket_parse(const char *record, struct listening_socket *socket);
/* Gives each that this process listens on to `take`, until it returns false (*enough). False: its
 * descriptors may not be read, or not all. */
bool macos_listening_of(const struct macos_calls *calls, int64_t pid,
                        bool (*take)(const struct listening_socket *socket, void *context),
                        void *context, bool *enough);
/* Whether this descriptor still is the socket with this number. */
bool macos_holds_socket(const struct macos_calls *calls, int64_t pid, int fd, uint64_t inode);

#endif

/* PID/stat through a descriptor that stays open: one system call a process and refresh, and the
 * kernel says when the process is gone even when its number is in use again. */
#ifndef OS_LINUX_PROCESS_DOOR_H
#define OS_LINUX_PROCESS_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/root.h"

/* A descriptor, or -1. */
int process_door_open_stat(const struct root *root, int64_t pid);
/* Bytes read, or -1: the process is gone. */
int64_t process_door_read_stat(int descriptor, char *buffer, size_t size);
void process_door_close(int descriptor);

/* Whether the kernel knows us by this number too: what /proc says of us is another one where it is
 * that of another pid namespace. */
bool process_door_is_us(int64_t pid);
/* A descriptor that becomes readable when the process ends (Linux 5.3 and later), or -1. */
int process_door_open_end(int64_t pid);
/* Watches such descriptors, all for one system call a pass. */
struct process_ends;
struct process_ends *process_ends_new(void); /* NULL: the system offers none */
void process_ends_free(struct process_ends **ends);
/* A descriptor that is closed is no longer watched. */
bool process_ends_watch(struct process_ends *ends, int descriptor, int64_t pid);
/* Tells each process that has ended, once. */
void process_ends_take(struct process_ends *ends, void (*tell)(int64_t pid, void *context),
                       void *context);

/* Units of the real machine's kernel. */
int64_t process_door_ticks_per_second(void);
int64_t process_door_page_bytes(void);

#endif

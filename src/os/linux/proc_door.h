/* The cheap primitives of the walk over /proc, on kept descriptors. fd_walk.c holds the policy and
 * calls nothing else; its property test replaces these functions. */
#ifndef OS_LINUX_PROC_DOOR_H
#define OS_LINUX_PROC_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/linux/device_table.h"
#include "os/linux/proc_stat.h"
#include "os/root.h"
#include "reading/process.h"

struct proc_door;

/* One numbered folder of /proc. The inode is that of the folder: another one means that the kernel
 * made it anew, for another process or after it was forgotten. */
struct proc_entry {
    uint64_t inode;
    int32_t pid;
};

enum proc_access {
    PROC_OK,
    PROC_GONE,    /* the process ended */
    PROC_REFUSED, /* not permitted */
    PROC_FAILED,  /* anything else: our descriptors ran out, memory, a broken tree */
};

/* When a look reads PID/stat. */
enum proc_stamp {
    PROC_STAMP_ALWAYS,
    /* Only where something depends on it: a refused or empty table (a kernel thread? a zombie?) or
     * GPU descriptors (the identity of their holder). */
    PROC_STAMP_IF_NEEDED,
};

/* What one look at a process found. Everything in it is of one and the same process: it is read
 * through one handle, which the kernel ties to the process and not to its number. */
struct proc_look {
    enum proc_access table;   /* of its descriptor table */
    int64_t descriptor_count; /* entries listed */
    bool incomplete;          /* some descriptors could not be listed or tested */
    bool has_stat;
    uint64_t start_stamp;
    bool is_kernel_thread, is_zombie;
    /* GPU descriptors, in the order of the listing. The array is kept from look to look. */
    struct device_file *files;
    size_t file_count, file_capacity;
};

struct proc_door *proc_door_new(void);
void proc_door_free(struct proc_door **door);
/* Call before every walk. False with no /proc. */
bool proc_door_begin(struct proc_door *door, const struct root *root);
/* True when proc_door_count() tells the number of descriptors (Linux 6.2 and later). */
bool proc_door_can_count(const struct proc_door *door);
/* Nanoseconds of the real running clock, for the budget. */
int64_t proc_door_clock_ns(const struct proc_door *door);

/* All processes, ascending by pid. The array belongs to the door and is valid until the next call.
 * False: the listing was not complete. */
bool proc_door_list(struct proc_door *door, const struct proc_entry **entries, size_t *count);
/* The number of descriptors of a process, whether or not they may be read. */
enum proc_access proc_door_count(struct proc_door *door, int32_t pid, int64_t *count);
/* Looks: lists and tests every descriptor. PROC_GONE when the process ended before or during it. */
enum proc_access proc_door_look(struct proc_door *door, struct device_table *table, int32_t pid,
                                enum proc_stamp stamp, struct proc_look *look);

#endif

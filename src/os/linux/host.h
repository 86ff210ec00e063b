/* The machine as a whole: CPU, memory, swap, names. Portable over os/root.h. */
#ifndef OS_LINUX_HOST_H
#define OS_LINUX_HOST_H

#include "os/root.h"
#include "reading/process.h"

struct arena;
struct host_names;

struct host_names *host_names_new(void);
void host_names_free(struct host_names **names);

/* Reads everything; what is not there stays unknown. Names are kept in `names` and read again every
 * 30 s of the running clock and in another tree. *boot_wall_ns: wall clock at boot, 0 unknown. */
void host_read(struct host_names *names, const struct root *root, int64_t running_ns,
               struct arena *arena, struct host_reading *host, int64_t *boot_wall_ns);
/* hidepid: known and 1 when the processes of other users are hidden from us, known and 0 when not.
 * `self` is the folder in /proc of the program itself ("self"). */
struct measured host_hides_processes(const struct root *root, const char *self);

#endif

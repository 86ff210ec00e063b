/* What one process has open and mapped, by /proc. Portable over os/root.h. Costs a system call a
 * descriptor: only for processes somebody looks at. */
#ifndef OS_LINUX_PROCESS_FILES_H
#define OS_LINUX_PROCESS_FILES_H

#include "os/process_files.h"
#include "os/root.h"
#include "reading/identity.h"

struct arena;

/* False when the process is gone, or its number is another's by now (checked before and after). */
bool process_files_read(const struct root *root, struct arena *arena, struct identity identity,
                        struct process_files *files);
/* False when the process is gone, or its number is another's by now. */
bool process_is_still(const struct root *root, struct identity identity);
/* "socket:[12345]" */
bool socket_inode_parse(struct raw_text target, uint64_t *inode);

#endif

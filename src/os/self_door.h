/* What this program can find out and arrange about itself. */
#ifndef OS_SELF_DOOR_H
#define OS_SELF_DOOR_H

#include <stdbool.h>
#include <stddef.h>

/* The path by which this very program is started again (UTF-8), also after an upgrade has replaced
 * the file it was started from. */
bool self_program_path(char *path, size_t size);
/* This process is killed when the one that started it ends. Returns false when that has happened
 * already. Where the system has no such thing, the end of standard input must do. */
bool self_die_with_parent(void);

#endif

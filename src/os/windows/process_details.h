/* What has to be asked of one process by a handle to it; what may not be read of it stays unknown.
 * Live: process_details_door.c; a recorded machine may have it in processes.json. */
#ifndef OS_WINDOWS_PROCESS_DETAILS_H
#define OS_WINDOWS_PROCESS_DETAILS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

/* Whether its modules and memory may be looked into. */
enum windows_access {
    WINDOWS_ACCESS_UNKNOWN,
    WINDOWS_ACCESS_FULL,
    WINDOWS_ACCESS_REFUSED,   /* to us: an administrator may */
    WINDOWS_ACCESS_PROTECTED, /* to everybody */
};

/* UTF-8; bytes NULL: unknown. */
struct windows_process_details {
    struct raw_text executable; /* "C:\Program Files\..." */
    struct raw_text command;    /* arguments, each followed by a NUL, as CommandLineToArgvW cuts */
    struct raw_text user;       /* account name without its domain */
    enum windows_access access;
};

/* Of the process that has this pid and was created then: another one that has the pid meanwhile is
 * not described. Texts live in `arena`. */
void windows_process_details_read(struct arena *arena, int64_t pid, int64_t created_100ns,
                                  struct windows_process_details *details);

#endif

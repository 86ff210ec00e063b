/* The one walk over /proc: which processes are looked at in this pass, which are skipped, and the
 * books about it (SPEC section 5, "When looks are skipped"). The policy is portable and pure over
 * proc_door.h; it is keyed by identity. */
#ifndef OS_LINUX_FD_WALK_H
#define OS_LINUX_FD_WALK_H

#include "os/root.h"
#include "reading/pass.h"
#include "reading/process.h"

struct fd_walk;
struct arena;

struct fd_walk *fd_walk_new(void);
void fd_walk_free(struct fd_walk **walk);
/* When a process begins to hold a device file tells whose the bytes are (in a container, in WSL):
 * from now on none is noticed late where descriptors cannot be counted. */
void fd_walk_be_timely(struct fd_walk *walk, bool timely);
/* Walks; the result's arrays live in the arena. */
void fd_walk_run(struct fd_walk *walk, const struct root *root, const struct pass *pass,
                 struct arena *arena, struct walk_reading *result);

struct walk_situation {
    bool first, recorded;  /* the first walk of all; of a recorded machine */
    bool can_count;        /* the kernel tells the number of descriptors (Linux 6.2) */
    bool timely, one_shot; /* fd_walk_be_timely(); one-shot output */
    int64_t interval_ns;
};
/* True when every process is looked at in such a walk. Pure. */
bool fd_walk_takes_all(const struct walk_situation *situation);

#endif

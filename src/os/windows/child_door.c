#include "os/child.h"

#include <stddef.h>

/* To come with the Windows machine itself. */
struct child *child_start(char *const *argv, struct wake *wake, int *exit_status,
                          struct problem *problem)
{
    (void)argv;
    (void)wake;
    *exit_status = 1;
    problem_set(problem, "record cannot run a command on Windows yet; start it beside `record`");
    return NULL;
}

int64_t child_id(const struct child *child)
{
    (void)child;
    return 0;
}

bool child_has_ended(const struct child *child)
{
    (void)child;
    return true;
}

int child_finish(struct child *child)
{
    (void)child;
    return 1;
}

void child_free(struct child **child)
{
    *child = NULL;
}

bool child_is_ancestor(const struct child *child, int64_t pid)
{
    (void)child;
    (void)pid;
    return false;
}

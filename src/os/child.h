/* A command of the user's that we run and only look on: it has our streams, our terminal and our
 * environment with one variable more, which its whole tree inherits. */
#ifndef OS_CHILD_H
#define OS_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/problem.h"
#include "os/wake.h"

struct child;

/* As shells say it. */
enum { CHILD_NOT_EXECUTABLE = 126, CHILD_NOT_FOUND = 127, CHILD_SIGNALLED = 128 };

/* Looks for argv[0] as execvp() does. `wake` is signalled when it ends, and must stay. NULL:
 * *problem, and in *exit_status what a shell would return. */
struct child *child_start(char *const *argv, struct wake *wake, int *exit_status,
                          struct problem *problem);
int64_t child_id(const struct child *child);
/* True once it has ended, but it is not waited for yet: its number is still its own. */
bool child_has_ended(const struct child *child);
/* Waits for it. Its exit status; 128 + n after signal n. Its number may be another's from now on.
 */
int child_finish(struct child *child);
/* After child_finish(). Sets the pointer to NULL; NULL is allowed. */
void child_free(struct child **child);

/* True for the child and for what it started, also when the parents in between are gone. False
 * where it cannot be told. */
bool child_is_ancestor(const struct child *child, int64_t pid);

#endif

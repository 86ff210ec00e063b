/* The process of a helper and the two pipes to it. Nothing here blocks, except helper_door_wait().
 */
#ifndef OS_HELPER_DOOR_H
#define OS_HELPER_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "os/wake.h"

struct helper_process;

/* Starts a program with a pipe to its standard input and one from its standard output; its standard
 * error is discarded, it inherits no other descriptor, no blocked or ignored signal, and it is not
 * in the terminal's process group. argv[0] NULL is this program itself. NULL with the reason. */
struct helper_process *helper_process_start(const char *const *argv, struct problem *problem);
int64_t helper_process_id(const struct helper_process *process);

enum helper_transfer {
    HELPER_MOVED,  /* *moved bytes, at least one */
    HELPER_WAIT,   /* nothing now */
    HELPER_AT_END, /* the other side has closed */
};
enum helper_transfer helper_process_write(struct helper_process *process, const char *bytes,
                                          size_t size, size_t *moved);
enum helper_transfer helper_process_read(struct helper_process *process, char *bytes, size_t size,
                                         size_t *moved);
/* It reads the end of its standard input: a well-behaved one ends. */
void helper_process_close_input(struct helper_process *process);

/* Kills it, and what it has started in turn. */
void helper_process_kill(struct helper_process *process);
/* True when it has ended: *how says how ("killed by signal 11 (SIGSEGV)"). It is reaped by this;
 * asked again, the answer is the same. */
bool helper_process_has_ended(struct helper_process *process, struct problem *how);
/* Forgets it, ended or not, and sets the pointer to NULL. */
void helper_process_free(struct helper_process **process);

/* What is waited for. */
struct helper_waiting {
    struct helper_process *process;
    bool to_write; /* wake up when it takes more input, too */
    bool happened; /* filled */
};
/* Waits until something happened with one of them, `wake` (may be NULL) is signalled or the time
 * (thread_clock_ns) has come. */
void helper_door_wait(struct helper_waiting *waiting, size_t count, struct wake *wake,
                      int64_t until_ns);

/* In the helper: ignores the signals of its terminal, dies with its parent, streams as they must
 * be. */
void helper_door_become(void);

#endif

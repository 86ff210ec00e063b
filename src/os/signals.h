/* Signals of this process, read by the main thread as events. They are blocked in every other
 * thread (base/thread.h), so that they interrupt nothing else. */
#ifndef OS_SIGNALS_H
#define OS_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "os/wake.h"

enum signal_event {
    SIGNAL_NONE,
    SIGNAL_QUIT,     /* SIGINT, SIGTERM, SIGHUP: end cleanly */
    SIGNAL_RESIZE,   /* SIGWINCH */
    SIGNAL_SUSPEND,  /* SIGTSTP: restore the terminal, then signals_stop_self() */
    SIGNAL_CONTINUE, /* SIGCONT */
};

/* Catches the signals; each one that arrives is kept for signals_next() and signals `wake`, which
 * must stay. Call from the main thread. SIGPIPE is ignored; what was ignored at start (nohup) stays
 * so. */
void signals_start(struct wake *wake);
/* The next event that has arrived, SIGNAL_NONE when there is none. */
enum signal_event signals_next(void);
/* The number of the signal behind the last SIGNAL_QUIT: the exit status is 128 + it. */
int signals_quit_number(void);
/* True once a signal has asked us to leave, whether or not signals_next() has told it. */
bool signals_quit_is_wanted(void);
/* From now on a signal that would end us, or that a program gives a meaning to (SIGUSR1, SIGUSR2),
 * goes to that process instead, unless it came from the terminal, which sends it to both. 0: no
 * longer; call it before the process is waited for, while its number is still its own. */
void signals_pass_to(int64_t pid);
/* Stops this process as SIGTSTP would (after the terminal was restored); returns on SIGCONT. */
void signals_stop_self(void);
/* On SIGSEGV and its like, and on signals that kill when nobody handles them (SIGQUIT, SIGUSR1,
 * SIGXCPU ...) writes `bytes` to standard output (it restores the
 * terminal) and dies of the same signal. The bytes must stay valid. NULL takes it away. */
void signals_set_crash_restore(const char *bytes);
/* What those signals do to the terminal before they kill: the bytes, and the terminal's modes as
 * they were at signals_start(). Async-signal-safe; for fatal_set_hook(). Nothing while no bytes are
 * set. */
void signals_restore_terminal(void);

/* Sends a signal to exactly this process: through a pidfd where there is one, with the start stamp
 * checked again between opening and sending. 0, or errno; ENOTSUP where /proc is that of another
 * pid namespace, whose numbers are not the kernel's for us. */
struct identity;
int signals_send(const struct identity *identity, int number);

#endif

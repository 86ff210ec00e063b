/* Sampling the machine for one command. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/command.h"

enum session_kind {
    SESSION_SCREEN,    /* samples by itself, never waits for a driver */
    SESSION_ONE_SHOT,  /* looks at everything, waits for the drivers; session_sample() by
                          session_sample() */
    SESSION_RECORDING, /* session_sample() by session_sample(), each as cheap as a screen's */
};

/* Opens the machine and its live source. NULL: *problem. */
struct source *session_open(const struct command_call *call, enum session_kind kind,
                            const struct wanted *wanted, struct problem *problem);
/* Takes one sample and returns its snapshot (a reference); NULL: none came, or the user left.
 * `complete`: looks at everything and waits for the drivers, as a one-shot session always does.
 * `signals` is the wake of signals_start(), or NULL. */
struct snapshot *session_sample(struct source *source, uint64_t after, bool complete,
                                struct wake *signals);
/* Takes two samples, so that rates are real, and returns the second. */
struct snapshot *session_two_samples(const struct command_call *call, struct source *source);
/* The refresh interval that the options ask for. */
int64_t session_interval_ns(const struct command_call *call);
/* Waits between two samples; false when the user left meanwhile. */
bool session_pause(int64_t until_ns, struct wake *signals);
/* True once a signal asked this command to end. */
bool session_is_left(void);

#endif

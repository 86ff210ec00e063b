/* Helpers: foreign code in a process of its own. A vendor library never lives in our process: the
 * same program is started as `gputaskman --helper nvml` and answers over a pipe. A hang is killed
 * or left behind, a crash is a state with its signal, giving a card back is ending the helper.
 *
 * One state machine for all: off, starting, ok, stale, failed. One bound an answer, one back-off
 * (5, 30, 300 s). The rule is pure (helper_rule.h); the process is helper_door.c.
 *
 * Protocol: we write one request line; the helper answers with lines, the last of which is "end".
 * A line longer than line_limit, or more than answer_limit bytes, ends the helper (failed). One
 * that streams is asked nothing. */
#ifndef OS_HELPER_H
#define OS_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"
#include "os/wake.h"

enum helper_state { HELPER_OFF, HELPER_STARTING, HELPER_OK, HELPER_STALE, HELPER_FAILED };

struct helper_spec {
    const char *name;
    const char *const *argv; /* NULL-terminated; argv[0] NULL means this program itself */
    int64_t first_answer_ns; /* bound of the first answer: 30 s */
    int64_t answer_ns;       /* bound of each later one: 2 s */
    size_t line_limit;       /* bytes */
    size_t answer_limit;     /* bytes */
    /* It is asked nothing and speaks by itself: each line is an answer, the bounds are of the time
     * between two. helper_ask() only starts it; helper_poll() gives one line after the other. */
    bool streams;
};

struct helper_status {
    enum helper_state state;
    struct problem why;  /* "killed by signal 11 (SIGSEGV), next try in 5 s" */
    int64_t since_ns;    /* thread_clock_ns() when the state began */
    int64_t retry_at_ns; /* while failed: when it is started again */
    int64_t answer_ns;   /* how long the last complete answer took; 0: none yet */
    unsigned restarts;
    int64_t process_id;   /* 0: not running */
    unsigned left_behind; /* killed and not gone: stuck in the kernel, or just about to go */
};

struct helper;

/* A helper that is not started yet. The spec is copied, its strings are not. `wake` (may be NULL)
 * is signalled by a helper_wait() that sees bytes or an end of this helper arrive: nothing reads
 * meanwhile.
 *
 * All calls on one helper come from one thread. On Linux the helper dies with the thread that
 * started it, so that must be one that lasts. */
struct helper *helper_new(const struct helper_spec *spec, struct wake *wake);
/* Sends the request, starting the process when needed and due. False while it is not possible now
 * (backing off, or still busy with an earlier request): helper_status() says why. */
bool helper_ask(struct helper *helper, const char *request);
/* Takes what has arrived, without blocking, and applies the bounds. Returns true when an answer to
 * the last request is complete: *answer holds its lines (without "end") until the next
 * helper_poll(). */
bool helper_poll(struct helper *helper, struct raw_text *answer);
/* Waits until one of the helpers has something or passes its bound, `wake` is signalled, or the
 * deadline (thread_clock_ns) passes. Helpers may be NULL. A helper that ended while a process it
 * had started holds its output open does not end the wait: the next helper_poll() sees it. */
void helper_wait(struct helper *const *helpers, size_t count, struct wake *wake, int64_t until_ns);
/* True while a request is out and unanswered. */
bool helper_is_busy(const struct helper *helper);
struct helper_status helper_status(const struct helper *helper);
/* Ends the process without counting it as a failure: state off. Its input is closed, so that it can
 * end by itself; after half of `patience_ns` it is killed, after all of it it is left behind (stuck
 * in the kernel). A back-off that runs goes on. */
void helper_stop(struct helper *helper, int64_t patience_ns);
void helper_free(struct helper **helper); /* stops it with no patience */

/* In the helper's own process: die with the parent, ignore its terminal's signals. */
void helper_become(void);
/* In the helper's own process: reads one request line from standard input (without its end, at most
 * size - 1 bytes). False at its end: exit then. */
bool helper_read_request(char *buffer, size_t size);

#endif

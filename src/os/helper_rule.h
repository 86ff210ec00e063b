/* When a helper is started, asked, called late and given up: pure. Events and the time go in, what
 * is to be done comes out.
 *
 * Times are thread_clock_ns(). A helper that failed is started again after 5 s, then 30 s, then
 * every 300 s; a minute of good answers makes it 5 s again. */
#ifndef OS_HELPER_RULE_H
#define OS_HELPER_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "os/helper.h"

struct helper_bounds {
    int64_t first_answer_ns; /* of a process's first answer */
    int64_t answer_ns;       /* of each later one; half of it makes the helper stale */
};

enum helper_event {
    HELPER_EVENT_ASK,     /* somebody wants to send a request */
    HELPER_EVENT_ANSWER,  /* a complete answer arrived */
    HELPER_EVENT_TICK,    /* time passed */
    HELPER_EVENT_FAILURE, /* it could not be started, ended, or broke the protocol */
    HELPER_EVENT_STOP,    /* it is ended on purpose */
};

enum helper_decision {
    HELPER_DECIDE_NOTHING,
    HELPER_DECIDE_REFUSE, /* not now: busy, or backing off */
    HELPER_DECIDE_START,  /* start a process, then send */
    HELPER_DECIDE_SEND,
    HELPER_DECIDE_KILL, /* its bound passed, or it spoke unasked: it has failed */
};

/* A value; zeroed it is a helper that is off. */
struct helper_rule {
    enum helper_state state;
    int64_t since_ns;    /* when the state began */
    int64_t retry_at_ns; /* not started before; kept when it is stopped meanwhile */
    int64_t answer_ns;   /* how long the last complete answer took; 0: none yet */
    unsigned restarts;
    bool was_started;
    bool busy;             /* a request is out */
    bool has_answered;     /* this process, or the last one, has at least once */
    int64_t asked_at_ns;   /* while busy */
    int64_t good_since_ns; /* its first answer, while has_answered */
    unsigned failures;     /* since the last good minute: chooses the back-off */
};

enum helper_decision helper_rule_step(struct helper_rule *rule, const struct helper_bounds *bounds,
                                      enum helper_event event, int64_t now_ns);
/* When a tick has something to decide; INT64_MAX: never. */
int64_t helper_rule_deadline(const struct helper_rule *rule, const struct helper_bounds *bounds);

#endif

#include "os/helper_rule.h"

#include <stddef.h>

#define SECOND_NS INT64_C(1000000000)

enum { GOOD_SECONDS = 60 };

static int64_t back_off_ns(unsigned failures)
{
    static const int64_t seconds[] = {5, 30, 300};
    size_t steps = sizeof seconds / sizeof seconds[0];

    return seconds[failures > steps ? steps - 1 : failures - 1] * SECOND_NS;
}

static void enter(struct helper_rule *rule, enum helper_state state, int64_t now_ns)
{
    if (rule->state != state)
        rule->since_ns = now_ns;
    rule->state = state;
}

static void fail(struct helper_rule *rule, int64_t now_ns)
{
    rule->failures++;
    rule->retry_at_ns = now_ns + back_off_ns(rule->failures);
    rule->busy = false;
    rule->state = HELPER_FAILED;
    rule->since_ns = now_ns; /* a second failure is a new state, too */
}

static enum helper_decision ask(struct helper_rule *rule, int64_t now_ns)
{
    bool is_down = rule->state == HELPER_OFF || rule->state == HELPER_FAILED;

    if (rule->busy)
        return HELPER_DECIDE_REFUSE;
    if (is_down && rule->failures && now_ns < rule->retry_at_ns) {
        enter(rule, HELPER_FAILED, now_ns);
        return HELPER_DECIDE_REFUSE;
    }
    rule->busy = true;
    rule->asked_at_ns = now_ns;
    if (!is_down)
        return HELPER_DECIDE_SEND;
    if (rule->was_started)
        rule->restarts++;
    rule->was_started = true;
    rule->has_answered = false;
    enter(rule, HELPER_STARTING, now_ns);
    return HELPER_DECIDE_START;
}

static enum helper_decision answer(struct helper_rule *rule, int64_t now_ns)
{
    if (!rule->busy) {
        fail(rule, now_ns);
        return HELPER_DECIDE_KILL;
    }
    if (!rule->has_answered)
        rule->good_since_ns = now_ns;
    else if (now_ns - rule->good_since_ns >= GOOD_SECONDS * SECOND_NS)
        rule->failures = 0;
    rule->has_answered = true;
    rule->busy = false;
    /* 0 says "none yet", and a clock may be coarse. */
    rule->answer_ns = now_ns > rule->asked_at_ns ? now_ns - rule->asked_at_ns : 1;
    enter(rule, HELPER_OK, now_ns);
    return HELPER_DECIDE_NOTHING;
}

static int64_t answer_bound(const struct helper_rule *rule, const struct helper_bounds *bounds)
{
    return rule->has_answered ? bounds->answer_ns : bounds->first_answer_ns;
}

static enum helper_decision tick(struct helper_rule *rule, const struct helper_bounds *bounds,
                                 int64_t now_ns)
{
    if (!rule->busy)
        return HELPER_DECIDE_NOTHING;
    int64_t waited = now_ns - rule->asked_at_ns;

    if (waited >= answer_bound(rule, bounds)) {
        fail(rule, now_ns);
        return HELPER_DECIDE_KILL;
    }
    if (rule->has_answered && waited >= bounds->answer_ns / 2)
        enter(rule, HELPER_STALE, now_ns);
    return HELPER_DECIDE_NOTHING;
}

enum helper_decision helper_rule_step(struct helper_rule *rule, const struct helper_bounds *bounds,
                                      enum helper_event event, int64_t now_ns)
{
    switch (event) {
    case HELPER_EVENT_ASK:
        return ask(rule, now_ns);
    case HELPER_EVENT_ANSWER:
        return answer(rule, now_ns);
    case HELPER_EVENT_TICK:
        return tick(rule, bounds, now_ns);
    case HELPER_EVENT_FAILURE:
        fail(rule, now_ns);
        return HELPER_DECIDE_NOTHING;
    case HELPER_EVENT_STOP:
        rule->busy = false;
        enter(rule, HELPER_OFF, now_ns);
        return HELPER_DECIDE_NOTHING;
    }
    return HELPER_DECIDE_NOTHING;
}

int64_t helper_rule_deadline(const struct helper_rule *rule, const struct helper_bounds *bounds)
{
    int64_t bound = answer_bound(rule, bounds);

    if (!rule->busy || rule->asked_at_ns > INT64_MAX - bound)
        return INT64_MAX;
    return rule->asked_at_ns + bound;
}

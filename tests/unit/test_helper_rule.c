#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vector.h"
#include "os/helper_answer.h"
#include "os/helper_rule.h"

#define SECOND_NS INT64_C(1000000000)

/* One event of a story, and what must come of it. Times in milliseconds. */
struct moment {
    int64_t at_ms;
    enum helper_event event;
    enum helper_decision decision;
    enum helper_state state;
    int64_t retry_ms;    /* checked while failed */
    int64_t deadline_ms; /* -1: none */
};

static void play(const char *name, const struct moment *story, size_t count)
{
    static const struct helper_bounds bounds = {30 * SECOND_NS, 2 * SECOND_NS};
    struct helper_rule rule = {0};

    for (size_t i = 0; i < count; i++) {
        const struct moment *moment = &story[i];
        enum helper_decision decision =
            helper_rule_step(&rule, &bounds, moment->event, moment->at_ms * 1000000);
        int64_t deadline = helper_rule_deadline(&rule, &bounds);
        int64_t deadline_ms = deadline == INT64_MAX ? -1 : deadline / 1000000;

        if (decision != moment->decision || rule.state != moment->state ||
            deadline_ms != moment->deadline_ms ||
            (rule.state == HELPER_FAILED && rule.retry_at_ns != moment->retry_ms * 1000000))
            fail_msg("%s, event %zu: decision %d state %d retry %lld deadline %lld", name, i,
                     decision, rule.state, (long long)(rule.retry_at_ns / 1000000),
                     (long long)deadline_ms);
    }
}

#define ASK HELPER_EVENT_ASK
#define ANSWER HELPER_EVENT_ANSWER
#define TICK HELPER_EVENT_TICK
#define FAILURE HELPER_EVENT_FAILURE
#define STOP HELPER_EVENT_STOP
#define NOTHING HELPER_DECIDE_NOTHING
#define REFUSE HELPER_DECIDE_REFUSE
#define START HELPER_DECIDE_START
#define SEND HELPER_DECIDE_SEND
#define KILL HELPER_DECIDE_KILL
#define OFF HELPER_OFF
#define STARTING HELPER_STARTING
#define OK HELPER_OK
#define STALE HELPER_STALE
#define FAILED HELPER_FAILED
#define PLAY(story) play(#story, story, sizeof story / sizeof story[0])

static void test_stories(void **state)
{
    static const struct moment first_answer_may_take_30_s[] = {
        {0, TICK, NOTHING, OFF, 0, -1},          {1000, ASK, START, STARTING, 0, 31000},
        {1500, ASK, REFUSE, STARTING, 0, 31000}, {30999, TICK, NOTHING, STARTING, 0, 31000},
        {30999, ANSWER, NOTHING, OK, 0, -1},     {31000, TICK, NOTHING, OK, 0, -1},
    };
    static const struct moment later_answers_2_s[] = {
        {0, ASK, START, STARTING, 0, 30000},
        {100, ANSWER, NOTHING, OK, 0, -1},
        {1000, ASK, SEND, OK, 0, 3000},
        {1999, TICK, NOTHING, OK, 0, 3000},
        {2000, TICK, NOTHING, STALE, 0, 3000},
        {2999, ANSWER, NOTHING, OK, 0, -1},
        {3000, ASK, SEND, OK, 0, 5000},
        {5000, TICK, KILL, FAILED, 10000, -1},
        {9999, ASK, REFUSE, FAILED, 10000, -1},
        {10000, ASK, START, STARTING, 0, 40000},
        /* a new process: its first answer may take long again */
        {39999, TICK, NOTHING, STARTING, 0, 40000},
        {40000, TICK, KILL, FAILED, 70000, -1},
    };
    static const struct moment back_off_5_30_300[] = {
        {0, ASK, START, STARTING, 0, 30000},
        {1, FAILURE, NOTHING, FAILED, 5001, -1},
        {5001, ASK, START, STARTING, 0, 35001},
        {5002, FAILURE, NOTHING, FAILED, 35002, -1},
        {35001, ASK, REFUSE, FAILED, 35002, -1},
        {35002, ASK, START, STARTING, 0, 65002},
        {35003, FAILURE, NOTHING, FAILED, 335003, -1},
        {335003, ASK, START, STARTING, 0, 365003},
        {335004, FAILURE, NOTHING, FAILED, 635004, -1},
        {635004, ASK, START, STARTING, 0, 665004},
    };
    static const struct moment good_minute_forgives[] = {
        {0, ASK, START, STARTING, 0, 30000},
        {1, FAILURE, NOTHING, FAILED, 5001, -1},
        {6000, ASK, START, STARTING, 0, 36000},
        {7000, ANSWER, NOTHING, OK, 0, -1},
        {67000, ASK, SEND, OK, 0, 69000},
        {67001, ANSWER, NOTHING, OK, 0, -1}, /* a minute after its first */
        {68000, FAILURE, NOTHING, FAILED, 73000, -1},
    };
    static const struct moment less_than_a_minute_does_not[] = {
        {0, ASK, START, STARTING, 0, 30000},
        {1, FAILURE, NOTHING, FAILED, 5001, -1},
        {6000, ASK, START, STARTING, 0, 36000},
        {7000, ANSWER, NOTHING, OK, 0, -1},
        {66000, ASK, SEND, OK, 0, 68000},
        {66001, ANSWER, NOTHING, OK, 0, -1},
        {68000, FAILURE, NOTHING, FAILED, 98000, -1},
    };
    /* Good answers of the process before do not count. */
    static const struct moment minute_is_of_one_process[] = {
        {0, ASK, START, STARTING, 0, 30000},        {1000, ANSWER, NOTHING, OK, 0, -1},
        {2000, FAILURE, NOTHING, FAILED, 7000, -1}, {70000, ASK, START, STARTING, 0, 100000},
        {70001, ANSWER, NOTHING, OK, 0, -1},        {70002, FAILURE, NOTHING, FAILED, 100002, -1},
    };
    static const struct moment stop_is_no_failure[] = {
        {0, ASK, START, STARTING, 0, 30000},    {1000, STOP, NOTHING, OFF, 0, -1},
        {1001, ASK, START, STARTING, 0, 31001}, {2000, ANSWER, NOTHING, OK, 0, -1},
        {3000, STOP, NOTHING, OFF, 0, -1},      {3001, ASK, START, STARTING, 0, 33001},
    };
    static const struct moment stop_does_not_shorten_back_off[] = {
        {0, ASK, START, STARTING, 0, 30000},    {1000, FAILURE, NOTHING, FAILED, 6000, -1},
        {2000, STOP, NOTHING, OFF, 0, -1},      {3000, ASK, REFUSE, FAILED, 6000, -1},
        {6000, ASK, START, STARTING, 0, 36000},
    };
    static const struct moment speaks_unasked[] = {
        {0, ASK, START, STARTING, 0, 30000},
        {1, ANSWER, NOTHING, OK, 0, -1},
        {2, ANSWER, KILL, FAILED, 5002, -1},
    };
    static const struct moment ends_while_idle[] = {
        {0, ASK, START, STARTING, 0, 30000},
        {1, ANSWER, NOTHING, OK, 0, -1},
        {900, FAILURE, NOTHING, FAILED, 5900, -1},
    };

    (void)state;
    PLAY(first_answer_may_take_30_s);
    PLAY(later_answers_2_s);
    PLAY(back_off_5_30_300);
    PLAY(good_minute_forgives);
    PLAY(less_than_a_minute_does_not);
    PLAY(minute_is_of_one_process);
    PLAY(stop_is_no_failure);
    PLAY(stop_does_not_shorten_back_off);
    PLAY(speaks_unasked);
    PLAY(ends_while_idle);
}

static void test_counts_and_times(void **state)
{
    static const struct helper_bounds bounds = {30 * SECOND_NS, 2 * SECOND_NS};
    struct helper_rule rule = {0};

    (void)state;
    helper_rule_step(&rule, &bounds, ASK, 1000);
    assert_int_equal(rule.since_ns, 1000);
    assert_int_equal(rule.answer_ns, 0);
    helper_rule_step(&rule, &bounds, ANSWER, 1400);
    assert_int_equal(rule.answer_ns, 400);
    assert_int_equal(rule.since_ns, 1400);
    helper_rule_step(&rule, &bounds, ASK, 2000);
    helper_rule_step(&rule, &bounds, ANSWER, 2000); /* a coarse clock */
    assert_true(rule.answer_ns > 0);
    assert_int_equal(rule.since_ns, 1400); /* still the same state */
    assert_int_equal(rule.restarts, 0);
    helper_rule_step(&rule, &bounds, FAILURE, 3000);
    helper_rule_step(&rule, &bounds, ASK, 10 * SECOND_NS);
    assert_int_equal(rule.restarts, 1);
}

struct answer_case {
    const char *bytes;
    enum helper_answer_state state;
    const char *lines; /* of a complete one */
    const char *why;   /* of a broken one */
};

/* Limits: 8 bytes a line, 20 an answer. */
static const struct answer_case answer_cases[] = {
    {"", HELPER_ANSWER_MORE, NULL, NULL},
    {"a\n", HELPER_ANSWER_MORE, NULL, NULL},
    {"end", HELPER_ANSWER_MORE, NULL, NULL},
    {"end\n", HELPER_ANSWER_COMPLETE, "", NULL},
    {"end\r\n", HELPER_ANSWER_COMPLETE, "", NULL},
    {"a\nbb\nend\n", HELPER_ANSWER_COMPLETE, "a\nbb\n", NULL},
    {"ends\n end\nEND\nend\n", HELPER_ANSWER_COMPLETE, "ends\n end\nEND\n", NULL},
    {"12345678\nend\n", HELPER_ANSWER_COMPLETE, "12345678\n", NULL},
    {"12345678\r\nend\r\n", HELPER_ANSWER_COMPLETE, "12345678\r\n", NULL},
    {"123456789", HELPER_ANSWER_BROKEN, NULL, "line of more than 8 bytes"},
    {"123456789\nend\n", HELPER_ANSWER_BROKEN, NULL, "line of more than 8 bytes"},
    {"1234\n1234\n1234\n1234\nend\n", HELPER_ANSWER_COMPLETE, "1234\n1234\n1234\n1234\n", NULL},
    {"1234\n1234\n1234\n1234\n\nend\n", HELPER_ANSWER_BROKEN, NULL, "answer of more than 20"},
    {"1234\n1234\n1234\n1234\n1\n", HELPER_ANSWER_BROKEN, NULL, "answer of more than 20"},
    {"1234\n1234\n1234\n1234\n123456", HELPER_ANSWER_BROKEN, NULL, "answer of more than 20"},
    {"a\nend\nb", HELPER_ANSWER_BROKEN, NULL, "went on after the end"},
    {"end\nend\n", HELPER_ANSWER_BROKEN, NULL, "went on after the end"},
};

/* Whole, and byte by byte: what is said must not depend on how the pipe cuts it. */
static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof answer_cases / sizeof answer_cases[0]); i++) {
        const struct answer_case *expected = &answer_cases[i / 2];
        size_t length = strlen(expected->bytes), part = i % 2 ? 1 : length;
        struct helper_answer answer = {0};
        enum helper_answer_state got = HELPER_ANSWER_MORE;
        struct raw_text lines = {NULL, 0};
        struct problem why = {""};

        for (size_t at = 0; at < length && got != HELPER_ANSWER_BROKEN; at += part) {
            memcpy(helper_answer_room(&answer, part), expected->bytes + at, part);
            answer.count += part;
            got = helper_answer_scan(&answer, 8, 20, &lines, &why);
        }
        if (got != expected->state)
            fail_msg("\"%s\": %d", expected->bytes, got);
        if (expected->lines)
            assert_true(raw_equal_string(lines, expected->lines));
        if (expected->why)
            assert_non_null(strstr(why.text, expected->why));
        VECTOR_FREE(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stories),
        cmocka_unit_test(test_counts_and_times),
        cmocka_unit_test(test_answers),
    };

    return cmocka_run_group_tests_name("helper_rule", tests, NULL, NULL);
}

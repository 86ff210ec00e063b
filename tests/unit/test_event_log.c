/* The list of events over successive snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/event_log.h"

enum { SECOND = 1000000000 };

static size_t take(struct event_log *log, int64_t second, int64_t seq, size_t count)
{
    struct event events[4];
    for (size_t i = 0; i < count; i++)
        events[i] = (struct event){.seq = seq + (int64_t)i,
                                   .at_ns = second * SECOND,
                                   .kind = TEXT("process_started"),
                                   .adapter_id = TEXT_NONE,
                                   .process = TEXT("local:1:2"),
                                   .text = TEXT("a (1) began to use the GPU")};
    struct snapshot snapshot = {
        .taken_at_ns = second * SECOND, .events = events, .event_count = count};
    return event_log_take(log, &snapshot);
}

static void test_order(void **state)
{
    (void)state;
    struct event_log log = {.count = 0};
    assert_int_equal(take(&log, 1, 0, 0), 0);
    assert_int_equal(take(&log, 2, 1, 2), 2);
    assert_int_equal(take(&log, 2, 1, 2), 0); /* the same snapshot again */
    assert_int_equal(take(&log, 3, 3, 1), 1);
    assert_int_equal(log.count, 3);
    assert_int_equal(log.began_at_ns, SECOND);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(log.items[i].seq, i + 1);
    assert_string_equal(log.items[0].process, "local:1:2");
    assert_string_equal(log.items[0].adapter_id, "");
    event_log_free(&log);
}

/* A source may begin with any number: only a gap between two is one. */
static void test_gap(void **state)
{
    (void)state;
    struct event_log log = {.count = 0};
    take(&log, 1, 7, 1);
    assert_int_equal(take(&log, 2, 8, 1), 1);
    assert_int_equal(take(&log, 3, 12, 1), 1);
    assert_int_equal(log.count, 4);
    assert_string_equal(log.items[2].text, "3 events were missed");
    assert_int_equal(take(&log, 4, 14, 1), 1);
    assert_string_equal(log.items[4].text, "1 event was missed");
    event_log_free(&log);
}

static void test_wound_back(void **state)
{
    (void)state;
    struct event_log log = {.count = 0};
    for (int64_t second = 1; second <= 5; second++)
        take(&log, second, second, 1);
    assert_int_equal(take(&log, 3, 3, 1), 0); /* it is there already */
    assert_int_equal(log.count, 3);
    assert_int_equal(take(&log, 4, 4, 1), 1);
    assert_int_equal(log.count, 4);
    assert_int_equal(take(&log, 0, 0, 0), 0);
    assert_int_equal(log.count, 0);
    assert_int_equal(take(&log, 2, 2, 1), 1);
    assert_int_equal(log.count, 1);
    event_log_free(&log);
}

static void test_bounds(void **state)
{
    (void)state;
    struct event_log log = {.count = 0};
    for (int64_t seq = 1; seq <= EVENT_LOG_MAX + 10; seq++)
        take(&log, seq, seq, 1);
    assert_int_equal(log.count, EVENT_LOG_MAX);
    assert_int_equal(log.items[0].seq, 11);
    char words[600];
    for (size_t i = 0; i < sizeof words; i++)
        words[i] = "\xE2\x82\xAC"[i % 3]; /* euro signs */
    struct event event = {.seq = EVENT_LOG_MAX + 11,
                          .at_ns = 1,
                          .kind = TEXT("x"),
                          .process = {words, sizeof words},
                          .text = {words, sizeof words}};
    struct snapshot snapshot = {
        .taken_at_ns = INT64_C(9999) * SECOND, .events = &event, .event_count = 1};
    assert_int_equal(event_log_take(&log, &snapshot), 1);
    const struct logged_event *last = &log.items[log.count - 1];
    assert_int_equal(strlen(last->text), EVENT_TEXT_SIZE - 1 - (EVENT_TEXT_SIZE - 1) % 3);
    assert_string_equal(last->process, ""); /* half an id would be another one */
    event_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_wound_back),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

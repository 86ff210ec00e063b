#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "view/play_time.h"

#define SECOND 1000000000LL
#define NOON (1795953600 * SECOND) /* 2026-11-29 12:00:00 UTC */

static const struct {
    const char *words;
    bool good;
    enum play_time_kind kind;
    int64_t seconds;
    double share;
} cases[] = {
    {"+90", true, PLAY_TIME_BY, 90, 0},
    {"-5m", true, PLAY_TIME_BY, -300, 0},
    {"+2h", true, PLAY_TIME_BY, 7200, 0},
    {"+1.5d", true, PLAY_TIME_BY, 129600, 0},
    {"50%", true, PLAY_TIME_SHARE, 0, 0.5},
    {"100%", true, PLAY_TIME_SHARE, 0, 1},
    {"14:02", true, PLAY_TIME_WALL, 1795953600 + 7320, 0},
    {"14:02:11", true, PLAY_TIME_WALL, 1795953600 + 7331, 0},
    {"2026-11-30 00:00", true, PLAY_TIME_WALL, 1795953600 + 43200, 0},
    {"2026-11-30T00:00:05", true, PLAY_TIME_WALL, 1795953600 + 43205, 0},
    {"", false, 0, 0, 0},
    {"+", false, 0, 0, 0},
    {"+5x", false, 0, 0, 0},
    {"+1e300d", false, 0, 0, 0},
    {"+nan", false, 0, 0, 0},
    {"101%", false, 0, 0, 0},
    {"%", false, 0, 0, 0},
    {"5%%", false, 0, 0, 0},
    {"25:00", false, 0, 0, 0},
    {"14:61", false, 0, 0, 0},
    {"14:02:11x", false, 0, 0, 0},
    {"noon", false, 0, 0, 0},
    {"2026-13-30 00:00", false, 0, 0, 0},
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct play_time time;
        struct problem problem = {""};
        bool good = play_time_parse(cases[i].words, NOON, &time, &problem);
        if (good != cases[i].good ||
            (good && (time.kind != cases[i].kind || time.ns != cases[i].seconds * SECOND ||
                      time.share != cases[i].share))) {
            fail_msg("'%s': %s, %lld ns", cases[i].words, good ? "taken" : "refused",
                     (long long)time.ns);
        }
        assert_int_equal(problem.text[0] != '\0', !good);
    }
}

static void test_words(void **state)
{
    (void)state;
    char out[PLAY_TIME_SIZE];
    play_time_words(723 * SECOND, out);
    assert_string_equal(out, "12:03");
    play_time_words(30672 * SECOND, out);
    assert_string_equal(out, "8:31:12");
    play_time_words(INT64_MAX, out);
    play_time_clock(NOON, true, out);
    assert_string_equal(out, "2026-11-29 12:00:00");
    play_time_clock(NOON, false, out);
    assert_string_equal(out, "12:00:00");
    play_time_clock(INT64_MIN, true, out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_words),
    };
    setenv("TZ", "UTC0", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Expected values: SNAPSHOT, "Recorded machines". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/recorded/script.h"

static void test_none(void **state)
{
    (void)state;
    struct sample_script *script;
    struct problem problem;
    assert_true(sample_script_parse(&(struct script_variables){0}, &script, &problem));
    assert_null(script);
}

static void test_values(void **state)
{
    (void)state;
    struct sample_script *script;
    struct problem problem;
    struct script_variables variables = {
        .sysroot = "/a:/b",
        .sample_times = "100,101.5, 103",
        .wall_times = "1700000000.123456,1700000001.000001",
        .self_pid = "4242",
    };
    assert_true(sample_script_parse(&variables, &script, &problem));
    assert_int_equal(script->tree_count, 2);
    assert_string_equal(script->trees[1], "/b");
    assert_int_equal(script->self_pid, 4242);
    assert_int_equal(sample_script_count(script), 3);
    static const int64_t running[] = {100000000000, 101500000000, 103000000000, 104500000000};
    for (uint64_t i = 0; i < 4; i++) {
        int64_t ns;
        assert_true(sample_script_running_ns(script, i, &ns));
        assert_true(ns == running[i]);
    }
    int64_t wall;
    assert_true(sample_script_wall_ns(script, 0, &wall) && wall == 1700000000123456000);
    assert_true(sample_script_wall_ns(script, 1, &wall) && wall == 1700000001000001000);
    sample_script_free(&script);

    /* far apart: time stops at its end and never goes back */
    variables = (struct script_variables){.sample_times = "100,101,1700000000"};
    assert_true(sample_script_parse(&variables, &script, &problem));
    int64_t earlier = 0;
    for (uint64_t i = 0; i < 9; i++) {
        int64_t ns;
        assert_true(sample_script_running_ns(script, i, &ns) && ns >= earlier);
        earlier = ns;
    }
    assert_true(earlier == INT64_C(4000000000000000000));
    sample_script_free(&script);

    variables = (struct script_variables){.nvml = "/x.so"};
    assert_true(sample_script_parse(&variables, &script, &problem));
    assert_non_null(script);
    assert_int_equal(sample_script_count(script), 0);
    assert_false(sample_script_running_ns(script, 0, &wall));
    sample_script_free(&script);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        struct script_variables variables;
        const char *names;
    } cases[] = {
        {{.sysroot = ""}, "GPUTASKMAN_SYSROOT"},
        {{.sysroot = "/a::/b"}, "GPUTASKMAN_SYSROOT"},
        {{.sample_times = ""}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "1,,2"}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "1,2x"}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "-1"}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "1."}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "1e5"}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "2,1"}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "4000000001"}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.sample_times = "9999999999999"}, "GPUTASKMAN_SAMPLE_TIMES"},
        {{.wall_times = "now"}, "GPUTASKMAN_WALL_TIMES"},
        {{.self_pid = "0"}, "GPUTASKMAN_SELF_PID"},
        {{.self_pid = "me"}, "GPUTASKMAN_SELF_PID"},
        {{.recorded = "/case"}, "GPUTASKMAN_RECORDED"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample_script *script;
        struct problem problem = {""};
        if (sample_script_parse(&cases[i].variables, &script, &problem))
            fail_msg("case %zu accepted", i);
        assert_null(script);
        if (!strstr(problem.text, cases[i].names) || strchr(problem.text, '\n'))
            fail_msg("case %zu: %s", i, problem.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

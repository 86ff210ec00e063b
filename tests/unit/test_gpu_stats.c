/* v3d's table of queues: the example of the kernel's source, and rates between two tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/drm/gpu_stats.h"

static const char example[] = "queue\ttimestamp\tjobs\truntime\n"
                              "bin\t239043069420\t22620\t17438164056\n"
                              "render\t239043069420\t22619\t27284814161\n"
                              "tfu\t239043069420\t8763\t394592566\n"
                              "csd\t239043069420\t3168\t10787905530\n"
                              "cache_clean\t239043069420\t6127\t237375940\n";

static void test_example(void **state)
{
    (void)state;
    struct gpu_stats stats;
    assert_true(gpu_stats_parse(raw_from_string(example), &stats));
    assert_int_equal(stats.count, 5);
    assert_string_equal(stats.queues[1].name, "render");
    assert_int_equal(stats.queues[1].timestamp_ns, 239043069420);
    assert_int_equal(stats.queues[1].runtime_ns, 27284814161);
}

static void test_other_forms(void **state)
{
    (void)state;
    struct gpu_stats stats;
    assert_false(gpu_stats_parse(raw_from_string(""), &stats));
    assert_false(gpu_stats_parse(raw_from_string("queue\ttimestamp\tjobs\truntime\n"), &stats));
    assert_false(gpu_stats_parse(raw_from_string("bin 1 2\n"), &stats));
    assert_false(gpu_stats_parse(raw_from_string("bin 1 2 3 4\n"), &stats));
    assert_false(gpu_stats_parse(raw_from_string("bin 1 2 -3\n"), &stats));
    assert_false(gpu_stats_parse(raw_from_string("bin 1 2 99999999999999999999\n"), &stats));
    assert_false(
        gpu_stats_parse(raw_from_string("a_queue_with_a_name_that_no_kernel_has 1 2 3\n"), &stats));
    assert_true(gpu_stats_parse(raw_from_string("x\nbin 1 2 3"), &stats) && stats.count == 1);
}

struct rate_case {
    int64_t timestamp_ns, runtime_ns; /* of "render" now; before: 1 s, 200 ms */
    int64_t millipercent;             /* -1 - reason */
};

static void test_rates(void **state)
{
    (void)state;
    static const struct rate_case cases[] = {
        {2000000000, 600000000, 40000},
        {2000000000, 200000000, 0},
        {3000000000, 2200000000, 100000},
        {2000000000, 1210000000, 100000}, /* jitter */
        {2000000000, 1400000000, -1 - REASON_incredible_value},
        {2000000000, 100000000, -1 - REASON_counter_not_monotonic},
        {500000000, 300000000, -1 - REASON_counter_not_monotonic},
        {1000000000, 200000000, -1 - REASON_need_two_samples},
    };
    struct gpu_stats before = {.queues = {{"render", 1000000000, 200000000}}, .count = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_stats_queue now = {"render", cases[i].timestamp_ns, cases[i].runtime_ns};
        struct said load = gpu_stats_load(&before, &now);
        if (cases[i].millipercent >= 0) {
            assert_int_equal(load.how, HOW_MEASURED);
            assert_int_equal(load.value, cases[i].millipercent);
        } else {
            assert_int_equal(load.how, HOW_UNAVAILABLE);
            assert_int_equal(load.why_not, -1 - cases[i].millipercent);
        }
    }
    struct gpu_stats_queue other = {"csd", 2000000000, 5};
    assert_int_equal(gpu_stats_load(&before, &other).why_not, REASON_need_two_samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

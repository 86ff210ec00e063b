/* The sample window: reference values are those of public traces (stamps of 2021-06-08), and the
 * rules that follow from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/nvml/nvml_samples.h"

static const int64_t second = 1000000;
static const int64_t noon = 1623157630200000;

static void test_window_begins_a_second_ago(void **state)
{
    (void)state;
    struct nvml_window window = {0};
    assert_true(nvml_window_since(&window, noon) == (uint64_t)(noon - second));
    nvml_window_seen(&window, 1623157629331552, noon);
    assert_true(nvml_window_since(&window, noon + second) == 1623157629331552);
}

static void test_window_keeps_its_place_while_idle(void **state)
{
    (void)state;
    struct nvml_window window = {0};
    nvml_window_since(&window, noon);
    /* No sample came: the next question covers this time again. */
    assert_true(nvml_window_since(&window, noon + 5 * second) == (uint64_t)(noon - second));
}

static void test_window_never_passes_now(void **state)
{
    (void)state;
    struct nvml_window window = {0};
    nvml_window_since(&window, noon);
    nvml_window_seen(&window, UINT64_MAX, noon);
    assert_true(nvml_window_since(&window, noon + second) == (uint64_t)noon);
}

static void test_window_does_not_go_back(void **state)
{
    (void)state;
    struct nvml_window window = {0};
    nvml_window_since(&window, noon);
    nvml_window_seen(&window, (uint64_t)noon, noon);
    nvml_window_seen(&window, (uint64_t)(noon - 9 * second), noon + second);
    assert_true(nvml_window_since(&window, noon + second) == (uint64_t)noon);
}

static void test_window_follows_a_clock_that_was_set_back(void **state)
{
    (void)state;
    struct nvml_window window = {0};
    nvml_window_since(&window, noon);
    nvml_window_seen(&window, (uint64_t)noon, noon);
    int64_t earlier = noon - 3600 * second;
    assert_true(nvml_window_since(&window, earlier) == (uint64_t)(earlier - second));
}

static void test_window_of_a_clock_before_its_epoch(void **state)
{
    (void)state;
    struct nvml_window window = {0};
    assert_true(nvml_window_since(&window, -5) == 0);
    nvml_window_seen(&window, 7, -5);
    assert_true(nvml_window_since(&window, 100) == 0);
}

static struct nvml_process_utilization sample(uint32_t pid, int64_t stamp_us, uint32_t sm)
{
    return (struct nvml_process_utilization){
        .pid = pid, .stamp_us = (uint64_t)stamp_us, .sm = sm, .memory = 1};
}

static void test_newest_of_each_pid(void **state)
{
    (void)state;
    struct nvml_process_utilization samples[] = {sample(9, noon - 1, 30), sample(0, noon, 5),
                                                 sample(4, noon - 9, 20), sample(9, noon - 7, 99),
                                                 sample(0, noon - 3, 5)};
    struct nvml_process_sample out[5];
    assert_int_equal(nvml_samples_newest(samples, 5, noon, true, out), 2);
    assert_int_equal(out[0].pid, 4);
    assert_int_equal(out[0].sm.value, 20);
    assert_int_equal(out[1].pid, 9);
    assert_int_equal(out[1].sm.value, 30);
    assert_true(out[1].jpeg.known);
}

/* sm 37100 and enc 50583 were seen on real machines, and 2147483632 elsewhere. */
static void test_incredible_fields(void **state)
{
    (void)state;
    static const struct nvml_process_utilization garbage[] = {
        {.pid = 1, .sm = 37100},           {.pid = 1, .memory = 101}, {.pid = 1, .encode = 50583},
        {.pid = 1, .decode = 101},         {.pid = 1, .jpeg = 101},   {.pid = 1, .ofa = 2147483632},
        {.pid = 1, .stamp_us = UINT64_MAX}};
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        struct nvml_process_utilization one = garbage[i];
        struct nvml_process_sample out;
        assert_int_equal(nvml_samples_newest(&one, 1, noon, true, &out), 1);
        assert_false(out.sm.known || out.memory.known || out.encode.known || out.decode.known ||
                     out.jpeg.known || out.ofa.known);
        assert_int_equal(out.sm.why_not, REASON_incredible_value);
    }
    struct nvml_process_utilization full = sample(1, noon, 100);
    struct nvml_process_sample out;
    nvml_samples_newest(&full, 1, noon, false, &out);
    assert_int_equal(out.sm.value, 100);
    assert_int_equal(out.jpeg.why_not, REASON_not_supported);
}

static void test_a_stamp_from_the_future_loses(void **state)
{
    (void)state;
    struct nvml_process_utilization samples[] = {sample(4, noon - 9, 20),
                                                 sample(4, noon + 3600 * second, 90)};
    struct nvml_process_sample out[2];
    assert_int_equal(nvml_samples_newest(samples, 2, noon, true, out), 1);
    assert_int_equal(out[0].sm.value, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window_begins_a_second_ago),
        cmocka_unit_test(test_window_keeps_its_place_while_idle),
        cmocka_unit_test(test_window_never_passes_now),
        cmocka_unit_test(test_window_does_not_go_back),
        cmocka_unit_test(test_window_follows_a_clock_that_was_set_back),
        cmocka_unit_test(test_window_of_a_clock_before_its_epoch),
        cmocka_unit_test(test_newest_of_each_pid),
        cmocka_unit_test(test_incredible_fields),
        cmocka_unit_test(test_a_stamp_from_the_future_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

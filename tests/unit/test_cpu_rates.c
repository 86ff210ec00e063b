/* Percent of CPU time: proc(5), cumulative times between two reads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "rules/cpu_rates.h"

#define SECOND INT64_C(1000000000)

struct row {
    uint64_t stamp;
    int64_t cpu_ms, at_ms; /* cpu_ms -1: refused */
    double percent;        /* -1: unknown */
    enum reason why_not;
};

static const struct row rows[] = {
    {1, 5000, 1000, -1, REASON_need_two_samples},
    {1, 5500, 2000, 50, 0},
    {1, 8500, 3500, 200, 0}, /* two CPUs */
    {1, 8500, 3500, 200, 0}, /* the same reading again says the same */
    {1, 8400, 4500, -1, REASON_counter_not_monotonic},
    {1, -1, 5500, -1, REASON_not_permitted},
    {1, 8500, 6500, -1, REASON_need_two_samples}, /* the gap in between is not bridged */
    {2, 10, 7500, -1, REASON_need_two_samples},   /* the pid was reused */
    {2, 10, 8500, 0, 0},
};

static void test_process(void **state)
{
    (void)state;
    struct cpu_rates *rates = cpu_rates_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct process_reading reading = {
            .identity = identity_make(NAMESPACE_LOCAL, 7, rows[i].stamp),
            .cpu_time_ns = rows[i].cpu_ms < 0 ? measured_unknown(REASON_not_permitted)
                                              : measured_known(rows[i].cpu_ms * 1000000),
            .read_running_ns = rows[i].at_ms * 1000000,
        };
        cpu_rates_begin(rates);
        struct rate rate = cpu_rates_process(rates, &reading);
        bool known = rows[i].percent >= 0;
        if (rate.known != known || (known && fabs(rate.percent - rows[i].percent) > 0.001) ||
            (!known && rate.why_not != rows[i].why_not))
            fail_msg("row %zu: %d %f %s", i, rate.known, rate.percent, reason_code(rate.why_not));
    }
    cpu_rates_free(&rates);
    assert_null(rates);
}

static void test_host(void **state)
{
    (void)state;
    struct cpu_rates *rates = cpu_rates_new();
    struct host_reading host = {.cpu_busy_ticks = measured_known(100),
                                .cpu_total_ticks = measured_known(1000)};
    assert_int_equal(cpu_rates_host(rates, &host).why_not, REASON_need_two_samples);
    host.cpu_busy_ticks.value += 30;
    host.cpu_total_ticks.value += 400;
    assert_true(fabs(cpu_rates_host(rates, &host).percent - 7.5) < 0.001);
    host.cpu_busy_ticks.value += 401; /* idle time stepped back */
    host.cpu_total_ticks.value += 400;
    assert_true(cpu_rates_host(rates, &host).percent <= 100);
    cpu_rates_forget(rates);
    assert_false(cpu_rates_host(rates, &host).known);
    host.cpu_busy_ticks = measured_unknown(REASON_not_permitted);
    assert_int_equal(cpu_rates_host(rates, &host).why_not, REASON_not_permitted);
    cpu_rates_free(&rates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

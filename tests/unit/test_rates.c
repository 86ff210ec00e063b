/* Expected values: Documentation/gpu/drm-usage-stats.rst and the recorded machines of
 * tests/cases/drm (counter-anomalies, multi-client, i915, xe), whose numbers the rows repeat. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "client_build.h"
#include "rules/rates.h"

#define SECOND INT64_C(1000000000)

struct fixture {
    struct arena *arena;
    struct rates *rates;
};

static int set_up(void **state)
{
    struct fixture *fixture = malloc(sizeof *fixture);
    fixture->arena = arena_new();
    fixture->rates = rates_new();
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    rates_free(&fixture->rates);
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static const struct client_rates *step(struct fixture *fixture,
                                       const struct drm_client_reading *readings, size_t count)
{
    struct client_list list;
    clients_merge(fixture->arena, readings, count, &list);
    return rates_step(fixture->rates, fixture->arena, &list);
}

static void assert_rate(struct rate rate, double percent)
{
    assert_true(rate.known);
    assert_true(fabs(rate.percent - percent) < 0.001);
}

static void assert_unknown(struct rate rate, enum reason why_not)
{
    assert_false(rate.known);
    assert_int_equal(rate.why_not, why_not);
}

/* One client, one engine, successive samples a second apart; -1 as value: no line, -2: no client.
 */
struct series {
    const char *what;
    bool missing_is_zero;
    int64_t busy_ms[4];
    double percent[4]; /* -1: unknown */
    enum reason why_not[4];
};

static const struct series series[] = {
    {"a first sample has no rate",
     true,
     {100, 600, 600, 1600},
     {-1, 50, 0, 100},
     {REASON_need_two_samples}},
    {"a step back keeps the larger value as baseline",
     true,
     {5000, 4900, 5300, 5300},
     {-1, -1, 30, 0},
     {REASON_need_two_samples, REASON_counter_not_monotonic}},
    {"equal to the largest is not past it",
     true,
     {5000, 4900, 5000, 5100},
     {-1, -1, -1, 10},
     {REASON_need_two_samples, REASON_counter_not_monotonic, REASON_counter_not_monotonic}},
    {"several queues pass 100",
     true,
     {0, 1700, 3400, 3400},
     {-1, 170, 170, 0},
     {REASON_need_two_samples}},
    {"a late line of a driver that prints what is used started at 0",
     true,
     {-1, -1, 250, 500},
     {-1, 0, 25, 25},
     {REASON_need_two_samples}},
    {"a line that goes away went back to 0",
     true,
     {100, -1, 50, 200},
     {-1, -1, -1, 10},
     {REASON_need_two_samples, REASON_counter_not_monotonic, REASON_counter_not_monotonic}},
    {"a late line of another driver is new",
     false,
     {-1, 250, 500, -1},
     {-1, -1, 25, -1},
     {REASON_not_reported, REASON_need_two_samples, 0, REASON_not_reported}},
    {"a vanished client is new when it comes back",
     true,
     {100, -2, 300, 400},
     {-1, -1, -1, 10},
     {REASON_need_two_samples, REASON_not_reported, REASON_need_two_samples}},
    {"a line that was not told in between has nothing to compare with",
     false,
     {100, -1, 300, 400},
     {-1, -1, -1, 10},
     {REASON_need_two_samples, REASON_not_reported, REASON_need_two_samples}},
    {"as much as a thousand engines' time may stand behind one counter",
     true,
     {0, 1000000, 1000500, 1000500},
     {-1, 100000, 50, 0},
     {REASON_need_two_samples}},
    {"more is no time at all, and no baseline",
     true,
     {0, 1000001, 1000, 1250},
     {-1, -1, -1, 25},
     {REASON_need_two_samples, REASON_incredible_value, REASON_need_two_samples}},
    {"a late line may not begin with it either",
     true,
     {-1, INT64_MAX / 1000000, 700, 800},
     {-1, -1, -1, 10},
     {REASON_need_two_samples, REASON_incredible_value, REASON_need_two_samples}},
    {"it does not forgive a step back",
     true,
     {5000, 3000000, 4900, 5100},
     {-1, -1, -1, 10},
     {REASON_need_two_samples, REASON_incredible_value, REASON_need_two_samples}},
};

static void test_series(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        void *fixture_state;
        set_up(&fixture_state);
        for (size_t k = 0; k < 4; k++) {
            struct drm_client_reading reading = amd_client(42, 5, 7);
            reading.missing_engine_is_zero = series[i].missing_is_zero;
            reading.read_running_ns = (int64_t)(k + 1) * SECOND;
            if (series[i].busy_ms[k] >= 0)
                add_engine(&reading, "gfx", ENGINE_gfx, series[i].busy_ms[k] * 1000000);
            bool present = series[i].busy_ms[k] != -2;
            const struct client_rates *rates = step(fixture_state, &reading, present);
            if (!present)
                continue;
            struct rate rate = rates[0].columns[ENGINE_gfx];
            bool expected = series[i].percent[k] >= 0;
            if (rate.known != expected || (!expected && rate.why_not != series[i].why_not[k]) ||
                (expected && fabs(rate.percent - series[i].percent[k]) > 0.001))
                fail_msg("%s: sample %zu: got %d %f %s", series[i].what, k, rate.known,
                         rate.percent, reason_code(rate.why_not));
        }
        tear_down(&fixture_state);
    }
}

static void test_per_client_times(void **state)
{
    struct drm_client_reading readings[2] = {amd_client(42, 5, 7), amd_client(43, 5, 8)};
    add_engine(&readings[0], "gfx", ENGINE_gfx, 0);
    add_engine(&readings[1], "gfx", ENGINE_gfx, 0);
    step(*state, readings, 2);
    readings[0].read_running_ns += SECOND;
    readings[1].read_running_ns += 2 * SECOND;
    readings[0].engines[0].busy_ns.value = readings[1].engines[0].busy_ns.value = SECOND / 2;
    const struct client_rates *rates = step(*state, readings, 2);
    assert_rate(rates[0].columns[ENGINE_gfx], 50);
    assert_rate(rates[1].columns[ENGINE_gfx], 25);
}

static void test_capacity(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    add_engine(&reading, "video", ENGINE_video, 0);
    reading.engines[0].capacity = 2;
    step(*state, &reading, 1);
    reading.read_running_ns += SECOND;
    reading.engines[0].busy_ns.value = 1800 * 1000000LL;
    assert_rate(step(*state, &reading, 1)[0].columns[ENGINE_video], 90);
}

/* The bound on one counter grows with the engines that stand behind it. */
static void test_bound_of_capacity(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    add_engine(&reading, "video", ENGINE_video, 0);
    reading.engines[0].capacity = 2;
    step(*state, &reading, 1);
    reading.read_running_ns += SECOND;
    reading.engines[0].busy_ns.value = 2000 * SECOND;
    assert_rate(step(*state, &reading, 1)[0].columns[ENGINE_video], 100000);
    reading.read_running_ns += SECOND;
    reading.engines[0].busy_ns.value += 2001 * SECOND;
    assert_unknown(step(*state, &reading, 1)[0].columns[ENGINE_video], REASON_incredible_value);
}

/* A pause: over the gap there are no rates, and what was counted in it is never told. */
static void test_after_a_gap(void **state)
{
    struct fixture *fixture = *state;
    struct drm_client_reading reading = amd_client(42, 5, 7);
    add_engine(&reading, "gfx", ENGINE_gfx, SECOND);
    step(fixture, &reading, 1);
    rates_forget(fixture->rates);
    reading.read_running_ns += 60 * SECOND;
    reading.engines[0].busy_ns.value += 30 * SECOND;
    assert_unknown(step(fixture, &reading, 1)[0].columns[ENGINE_gfx], REASON_need_two_samples);
    assert_unknown(step(fixture, &reading, 1)[0].columns[ENGINE_gfx], REASON_need_two_samples);
    reading.read_running_ns += SECOND;
    reading.engines[0].busy_ns.value += SECOND / 5;
    assert_rate(step(fixture, &reading, 1)[0].columns[ENGINE_gfx], 20);
}

static void test_cycles_of_total(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    reading.missing_engine_is_zero = false;
    add_engine(&reading, "ccs", ENGINE_compute, 0);
    struct drm_engine *engine = &reading.engines[0];
    engine->busy_ns = measured_unknown(REASON_not_reported);
    engine->cycles = measured_known(INT64_C(8077280786690));
    engine->total_cycles = measured_known(INT64_C(9000000000000));
    assert_unknown(step(*state, &reading, 1)[0].columns[ENGINE_compute], REASON_need_two_samples);
    /* The wall clock says two seconds; the total counter is the clock. */
    reading.read_running_ns += 7 * SECOND;
    engine->cycles.value += 36480000;
    engine->total_cycles.value += 38400000;
    assert_rate(step(*state, &reading, 1)[0].columns[ENGINE_compute], 95);
    engine->total_cycles.value -= 38400000;
    assert_unknown(step(*state, &reading, 1)[0].columns[ENGINE_compute],
                   REASON_counter_not_monotonic);
}

static void test_cycles_of_frequency(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    add_engine(&reading, "gpu", ENGINE_gfx, 0);
    struct drm_engine *engine = &reading.engines[0];
    engine->busy_ns = measured_unknown(REASON_not_reported);
    engine->cycles = measured_known(1000);
    engine->max_frequency_hz = measured_known(800000000);
    step(*state, &reading, 1);
    reading.read_running_ns += 2 * SECOND;
    engine->cycles.value += 400000000;
    assert_rate(step(*state, &reading, 1)[0].columns[ENGINE_gfx], 25);
}

static void test_another_holder_starts_anew(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    add_engine(&reading, "gfx", ENGINE_gfx, 0);
    step(*state, &reading, 1);
    reading.read_running_ns += SECOND;
    reading.holder.start_stamp++;
    assert_unknown(step(*state, &reading, 1)[0].columns[ENGINE_gfx], REASON_pid_reused);
    reading.read_running_ns += SECOND;
    reading.engines[0].busy_ns.value += SECOND / 20;
    assert_rate(step(*state, &reading, 1)[0].columns[ENGINE_gfx], 5);
    reading.holder = process_identity(77);
    assert_unknown(step(*state, &reading, 1)[0].columns[ENGINE_gfx], REASON_need_two_samples);
}

static void test_once_shared_starts_anew(void **state)
{
    struct drm_client_reading readings[2] = {amd_client(42, 5, 7), amd_client(43, 5, 7)};
    add_engine(&readings[0], "gfx", ENGINE_gfx, 0);
    add_engine(&readings[1], "gfx", ENGINE_gfx, 0);
    step(*state, readings, 2);
    readings[0].read_running_ns += SECOND;
    readings[0].engines[0].busy_ns.value = SECOND;
    assert_unknown(step(*state, readings, 1)[0].columns[ENGINE_gfx], REASON_need_two_samples);
}

static void test_same_id_on_two_adapters(void **state)
{
    struct drm_client_reading readings[2] = {amd_client(42, 5, 7), amd_client(42, 6, 7)};
    memcpy(readings[1].adapter_id, ADAPTER_B, sizeof ADAPTER_B);
    add_engine(&readings[0], "gfx", ENGINE_gfx, 10 * SECOND);
    add_engine(&readings[1], "gfx", ENGINE_gfx, 0);
    step(*state, readings, 2);
    for (size_t i = 0; i < 2; i++) {
        readings[i].read_running_ns += SECOND;
        readings[i].engines[0].busy_ns.value += SECOND / 4;
    }
    const struct client_rates *rates = step(*state, readings, 2);
    assert_rate(rates[0].columns[ENGINE_gfx], 25);
    assert_rate(rates[1].columns[ENGINE_gfx], 25);
}

static void test_columns_of_a_process(void **state)
{
    (void)state;
    struct rate sum[ENGINE_COUNT] = {0};
    struct client_rates a = {0}, b = {0}, unknown = {0};
    a.columns[ENGINE_gfx] = rate_known(40);
    a.columns[ENGINE_compute] = rate_known(70);
    b.columns[ENGINE_gfx] = rate_known(15);
    rates_add(sum, &a);
    rates_add(sum, &b);
    assert_rate(sum[ENGINE_gfx], 55);
    assert_rate(rates_busiest(sum), 70);
    assert_unknown(sum[ENGINE_video], REASON_not_reported);
    unknown.columns[ENGINE_gfx] = rate_unknown(REASON_need_two_samples);
    rates_add(sum, &unknown);
    assert_unknown(sum[ENGINE_gfx], REASON_need_two_samples);
    assert_unknown(rates_busiest(sum), REASON_need_two_samples);
}

static void test_unified_video(void **state)
{
    (void)state;
    struct rate columns[ENGINE_COUNT] = {0};
    columns[ENGINE_encode] = rate_known(32);
    columns[ENGINE_decode] = rate_known(0);
    rates_unify_video(columns);
    assert_rate(columns[ENGINE_video], 32);
    assert_unknown(columns[ENGINE_decode], REASON_unified_ring);
    assert_unknown(columns[ENGINE_encode], REASON_unified_ring);
    assert_rate(rates_busiest(columns), 32);
}

static void test_overlapping_engines_of_a_column(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    reading.missing_engine_is_zero = false;
    add_engine(&reading, "bin", ENGINE_gfx, 0);
    add_engine(&reading, "render", ENGINE_gfx, 0);
    step(*state, &reading, 1);
    reading.read_running_ns += SECOND;
    reading.engines[0].busy_ns.value = SECOND / 2;
    reading.engines[1].busy_ns.value = SECOND * 6 / 10;
    assert_rate(step(*state, &reading, 1)[0].columns[ENGINE_gfx], 60);
}

static void test_duplicates_take_the_larger(void **state)
{
    struct drm_client_reading readings[2] = {amd_client(42, 5, 7), amd_client(42, 6, 7)};
    add_engine(&readings[0], "gfx", ENGINE_gfx, 100);
    add_engine(&readings[1], "gfx", ENGINE_gfx, 200);
    readings[0].read_running_ns = 2 * SECOND;
    readings[0].regions[0].resident.value = 5;
    struct fixture *fixture = *state;
    struct client_list list;
    clients_merge(fixture->arena, readings, 2, &list);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].holder_count, 1);
    assert_int_equal(list.items[0].seen.engines[0].busy_ns.value, 200);
    assert_int_equal(list.items[0].seen.regions[0].resident.value, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test_setup_teardown(test_per_client_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_capacity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bound_of_capacity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_after_a_gap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cycles_of_total, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cycles_of_frequency, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_holder_starts_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_once_shared_starts_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_id_on_two_adapters, set_up, tear_down),
        cmocka_unit_test(test_columns_of_a_process),
        cmocka_unit_test(test_unified_video),
        cmocka_unit_test_setup_teardown(test_overlapping_engines_of_a_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_duplicates_take_the_larger, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

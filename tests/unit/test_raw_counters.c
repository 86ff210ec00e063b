/* Expected values: SPEC section 5 (Windows), reference windows.md sections 1.2 to 1.5. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "gpu/wddm/query_rule.h"
#include "gpu/wddm/raw_counters.h"

#define SECOND INT64_C(10000000) /* in 100 ns */
#define STAMP UINT64_C(134139994000000000)
#define ENGINE "pid_7_luid_0x00000000_0x0000D1A2_phys_0_eng_0_engtype_3D"

static const struct {
    const char *what;
    struct raw_value before, now;
    struct measured rate;
} rates[] = {
    {"a quarter of the time base",
     {true, 5, 100, 1, STAMP},
     {true, 5 + SECOND / 4, 100 + SECOND, 9, STAMP},
     {.value = 25000, .known = true}},
    {"without a base the time stamps",
     {true, 0, 0, 50, STAMP},
     {true, SECOND, 0, 50 + 2 * SECOND, STAMP},
     {.value = 50000, .known = true}},
    {"a base in one of the two only is none",
     {true, 0, 100, 50, STAMP},
     {true, SECOND, 0, 50 + 4 * SECOND, STAMP},
     {.value = 25000, .known = true}},
    {"idle", {true, 9, 100, 1, STAMP}, {true, 9, 200, 1, STAMP}, {.value = 0, .known = true}},
    {"beyond 100 is left as it is",
     {true, 0, 100, 1, STAMP},
     {true, 150, 200, 1, STAMP},
     {.value = 150000, .known = true}},
    {"nothing before",
     {.known = false},
     {true, 5, 100, 1, STAMP},
     {.why_not = REASON_need_two_samples}},
    {"it went back",
     {true, 500, 100, 1, STAMP},
     {true, 499, 200, 1, STAMP},
     {.why_not = REASON_counter_not_monotonic}},
    {"the base went back",
     {true, 5, 200, 1, STAMP},
     {true, 6, 100, 1, STAMP},
     {.why_not = REASON_counter_not_monotonic}},
    {"no time passed",
     {true, 5, 100, 1, STAMP},
     {true, 6, 100, 1, STAMP},
     {.why_not = REASON_need_two_samples}},
    {"the pid is another's",
     {true, 5, 100, 1, STAMP},
     {true, 6, 200, 1, STAMP + 1},
     {.why_not = REASON_pid_reused}},
    {"whose it was is not known",
     {true, 5, 100, 1, IDENTITY_NO_STAMP},
     {true, 6, 200, 1, STAMP},
     {.why_not = REASON_need_two_samples}},
    {"not known of either, as of pid 0",
     {true, 0, 100, 1, IDENTITY_NO_STAMP},
     {true, 50, 200, 1, IDENTITY_NO_STAMP},
     {.value = 50000, .known = true}},
    {"what cannot be true",
     {true, 0, 100, 1, STAMP},
     {true, INT64_MAX, 200, 1, STAMP},
     {.why_not = REASON_incredible_value}},
    {"from one end of 64 bits to the other",
     {true, INT64_MIN, INT64_MIN, 1, STAMP},
     {true, INT64_MAX, INT64_MAX, 1, STAMP},
     {.value = 100000, .known = true}},
};

static void test_rates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct measured rate = raw_rate(&rates[i].before, &rates[i].now);
        if (rate.known != rates[i].rate.known || rate.value != rates[i].rate.value ||
            (!rate.known && rate.why_not != rates[i].rate.why_not))
            fail_msg("%s: %d %lld %d", rates[i].what, rate.known, (long long)rate.value,
                     (int)rate.why_not);
    }
}

static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        uint32_t status;
        int64_t first;
        struct measured bytes;
    } items[] = {
        {PDH_VALID_DATA, 4096, {.value = 4096, .known = true}},
        {PDH_NEW_DATA, INT64_MAX, {.value = INT64_MAX, .known = true}},
        {PDH_VALID_DATA, -1, {.why_not = REASON_larger_than_adapter}},
        {PDH_NO_INSTANCE, 4096, {.why_not = REASON_no_instance}},
        {PDH_NO_MACHINE, 4096, {.why_not = REASON_no_instance}},
        {PDH_INVALID_DATA, 4096, {.why_not = REASON_bad_status}},
        {PDH_NEGATIVE_VALUE, 4096, {.why_not = REASON_counter_not_monotonic}},
        {UINT32_C(0xC0000BBA), 4096, {.why_not = REASON_bad_status}},
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        struct pdh_raw_item item = {.status = items[i].status, .first = items[i].first};
        struct measured bytes = raw_bytes(&item);
        assert_int_equal(bytes.known, items[i].bytes.known);
        assert_true(bytes.value == items[i].bytes.value);
        if (!bytes.known)
            assert_int_equal(bytes.why_not, items[i].bytes.why_not);
    }
}

static const struct identity everyone[] = {{.pid = 7, .start_stamp = STAMP}};

/* One collection of engines. */
static struct wddm_sample step(struct raw_counters *counters, struct arena *arena,
                               const struct pdh_raw_item *items, size_t count, int64_t time)
{
    struct wddm_sample sample = {.engines_read = false};
    struct pdh_collection collection = {.time_100ns = time};
    collection.arrays[PDH_UTILIZATION] = (struct pdh_raw_array){PDH_VALID_DATA, items, count};
    raw_counters_step(counters, arena, &collection, everyone, 1, &sample);
    return sample;
}

static struct pdh_raw_item item(const char *name, int64_t running, int64_t base)
{
    return (struct pdh_raw_item){
        .instance = raw_from_string(name), .first = running, .second = base};
}

static void test_steps(void **state)
{
    struct raw_counters *counters = raw_counters_new();
    /* The same name twice, and once with its index: three engines. */
    const struct pdh_raw_item first[] = {item(ENGINE, 100, 1000), item(ENGINE "#1", 200, 1000),
                                         item(ENGINE, 300, 1000), item("nonsense", 1, 1)};
    const struct pdh_raw_item second[] = {item(ENGINE, 110, 1100), item(ENGINE "#1", 220, 1100),
                                          item(ENGINE, 330, 1100)};
    struct wddm_sample sample = step(counters, *state, first, 4, 1000);
    assert_true(sample.engines_read);
    assert_int_equal(sample.engine_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sample.engines[i].millipercent.why_not, REASON_need_two_samples);
    sample = step(counters, *state, second, 3, 1100);
    assert_int_equal(sample.engine_count, 3);
    assert_int_equal(sample.engines[0].millipercent.value, 10000);
    assert_int_equal(sample.engines[1].millipercent.value, 20000);
    assert_int_equal(sample.engines[2].millipercent.value, 30000);
    assert_int_equal(sample.engines[1].duplicate, 1);
    assert_int_equal(sample.engines[2].duplicate, 2);

    /* One that was away for a collection begins anew; so do all after a gap. */
    step(counters, *state, second, 0, 1200);
    sample = step(counters, *state, second, 1, 1300);
    assert_int_equal(sample.engines[0].millipercent.why_not, REASON_need_two_samples);
    raw_counters_forget(counters);
    sample = step(counters, *state, second, 1, 1400);
    assert_int_equal(sample.engines[0].millipercent.why_not, REASON_need_two_samples);
    raw_counters_free(&counters);
    assert_null(counters);
}

static void test_arrays(void **state)
{
    struct raw_counters *counters = raw_counters_new();
    struct wddm_sample sample = {.engines_read = true};
    const struct pdh_raw_item bytes[] = {item("pid_7_luid_0x0_0x1_phys_0", 5, 0),
                                         item("luid_0x0_0x1_phys_0", 6, 0)};
    struct pdh_collection collection = {.time_100ns = 1};
    collection.arrays[PDH_LOCAL] = (struct pdh_raw_array){PDH_VALID_DATA, bytes, 2};
    collection.arrays[PDH_NON_LOCAL] = (struct pdh_raw_array){.status = PDH_NO_DATA};
    collection.arrays[PDH_COMMITTED] = (struct pdh_raw_array){.status = PDH_INVALID_HANDLE};
    collection.arrays[PDH_ADAPTER_DEDICATED] = (struct pdh_raw_array){.status = PDH_NO_OBJECT};
    collection.arrays[PDH_UTILIZATION] = (struct pdh_raw_array){.status = PDH_NO_COUNTER};
    raw_counters_step(counters, *state, &collection, everyone, 1, &sample);
    assert_int_equal(sample.process[WDDM_LOCAL].count, 1);
    assert_true(sample.process[WDDM_LOCAL].items[0].bytes.value == 5);
    assert_true(sample.process[WDDM_NON_LOCAL].read);
    assert_int_equal(sample.process[WDDM_NON_LOCAL].count, 0);
    assert_false(sample.process[WDDM_COMMITTED].read);
    assert_int_equal(sample.process[WDDM_COMMITTED].why_not, REASON_bad_status);
    assert_false(sample.adapter[WDDM_ADAPTER_DEDICATED].read);
    assert_int_equal(sample.adapter[WDDM_ADAPTER_DEDICATED].why_not, REASON_no_instance);
    assert_false(sample.engines_read);
    assert_int_equal(sample.engines_why_not, REASON_no_instance);
    raw_counters_free(&counters);
}

static void test_query_rule(void **state)
{
    (void)state;
    const int64_t second = 1000000000;
    struct query_rule rule = {.waits = false};
    struct pdh_collection all = {.status = PDH_VALID_DATA}, some = all;
    some.arrays[PDH_UTILIZATION].status = PDH_NO_OBJECT;
    assert_int_equal(query_rule_next(&rule, false, 0), QUERY_OPEN);
    query_rule_tried(&rule, 0);
    assert_int_equal(query_rule_next(&rule, false, 29 * second), QUERY_WAIT);
    assert_int_equal(query_rule_next(&rule, false, 30 * second), QUERY_OPEN);
    query_rule_saw(&rule, &all, 30 * second);
    assert_int_equal(query_rule_next(&rule, true, 90 * second), QUERY_COLLECT);
    query_rule_saw(&rule, &some, 100 * second);
    assert_int_equal(query_rule_next(&rule, true, 129 * second), QUERY_COLLECT);
    query_rule_saw(&rule, &some, 129 * second);
    assert_int_equal(query_rule_next(&rule, true, 130 * second), QUERY_ADD_MISSING);
    query_rule_tried(&rule, 130 * second);
    query_rule_saw(&rule, &some, 130 * second);
    assert_int_equal(query_rule_next(&rule, true, 131 * second), QUERY_COLLECT);
    /* A clock that went back does not make it wait for ever. */
    assert_int_equal(query_rule_next(&rule, true, 5 * second), QUERY_ADD_MISSING);
}

static int make_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int free_arena(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_steps),      cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_query_rule),
    };
    return cmocka_run_group_tests(tests, make_arena, free_arena);
}

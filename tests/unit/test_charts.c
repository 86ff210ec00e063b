/* What a chart is called, scaled to and made of; what grew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_builder.h"
#include "view/charts.h"
#include "view/growth.h"

static struct history_point point_at(double seconds)
{
    struct history_point point = {.running_ns = (int64_t)(seconds * 1e9)};
    for (int series = 0; series < SERIES_COUNT; series++)
        point.values[series] = NAN;
    return point;
}

static void test_only_what_is_delivered(void **state)
{
    (void)state;
    struct chart_seen seen = {.series = {false}};
    struct history_point point = point_at(1);
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    card->power_watts = figure_unknown(REASON_not_supported);
    chart_seen_add(&seen, &point);
    for (int chart = 0; chart < CHART_COUNT; chart++)
        assert_false(chart_is_delivered((enum chart)chart, &seen));
    point.values[SERIES_LOAD] = 0; /* a measured 0 is a value */
    point.values[SERIES_PCIE_TX] = 1;
    point.values[SERIES_CLASS + SEGMENT_UNATTRIBUTED] = 1;
    chart_seen_add(&seen, &point);
    point = point_at(2);
    chart_seen_add(&seen, &point);
    for (int chart = 0; chart < CHART_COUNT; chart++)
        assert_int_equal(chart_is_delivered((enum chart)chart, &seen),
                         chart == CHART_load || chart == CHART_pcie || chart == CHART_classes);
    assert_int_equal(chart_now(CHART_power, card, &s->host).why_not, REASON_not_supported);
    snapshot_drop(&s);
}

static void check_top(enum chart chart, const struct snapshot *s, double largest,
                      const char *expected)
{
    char words[UNITS_SIZE];
    chart_axis_words(chart_traits(chart)->unit,
                     chart_top(chart, &s->adapters[0], &s->host, largest), words);
    assert_string_equal(words, expected);
}

static void test_scales(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    check_top(CHART_load, s, 250, "100");
    check_top(CHART_power, s, 0, "10");
    check_top(CHART_power, s, 371, "500");
    check_top(CHART_clock, s, 2640, "5000");
    check_top(CHART_memory, s, 3e9, "4 G");
    check_top(CHART_memory, s, 0, "64 M");
    check_top(CHART_pcie, s, 0, "1 MB/s");
    check_top(CHART_pcie, s, 1.3e9, "2 GB/s");
    check_top(CHART_pcie, s, 12e6, "20 MB/s");
    build_memory(card, 15.984 * GIB, 0);
    card->power_limit_watts = build_figure(450);
    card->max_clocks_mhz.graphics = build_figure(2805);
    card->memory.shared_total_bytes = build_bytes(32 * GIB);
    s->host.memory_total_bytes = build_bytes(62.7 * GIB);
    check_top(CHART_power, s, 371, "450");
    check_top(CHART_power, s, 460, "500"); /* above its limit for a moment */
    check_top(CHART_clock, s, 2640, "2805");
    check_top(CHART_classes, s, 3e9, "16 G");
    check_top(CHART_shared, s, 3e8, "512 M"); /* a spill is small beside all of RAM */
    check_top(CHART_ram, s, 3e9, "62.7 G");
    card->memory.unified = true;
    check_top(CHART_shared, s, 3e8, "48 G");
    assert_string_equal(chart_title(CHART_shared, card), "shared memory");
    assert_string_equal(chart_title(CHART_clock, card), "clock");
    card->vendor = TEXT("intel");
    assert_string_equal(chart_title(CHART_clock, card), "GT clock");
    snapshot_drop(&s);
}

static void test_values(void **state)
{
    static const struct {
        enum chart_unit unit;
        double value;
        const char *words;
    } cases[] = {{CHART_PERCENT, 96.6, "97 %"}, {CHART_BYTES, 19.1 * GIB, "19.1 G"},
                 {CHART_RATE, 0, "0"},          {CHART_WATTS, 9.4, "9.4 W"},
                 {CHART_CELSIUS, 64, "64 C"},   {CHART_MHZ, 2640, "2640 MHz"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[UNITS_SIZE];
        chart_value_words(cases[i].unit, cases[i].value, true, words);
        assert_string_equal(words, cases[i].words);
    }
}

static void check_growth(const struct growth *growth, const struct growth_process *process,
                         const char *expected)
{
    char words[GROWTH_TEXT_SIZE];
    growth_words(growth, 24 * GIB, process, words);
    assert_string_equal(words, expected);
}

static void test_growth(void **state)
{
    (void)state;
    struct growth growth = {.any = false};
    check_growth(&growth, NULL, "");
    struct history_point point = point_at(100);
    point.values[SERIES_CLASS + SEGMENT_MODEL] = (float)(9 * GIB);
    point.values[SERIES_CLASS + SEGMENT_BROWSER] = (float)(1 * GIB);
    growth_add(&growth, &point);
    check_growth(&growth, NULL, "");
    point.running_ns = 820LL * 1000000000;
    point.values[SERIES_CLASS + SEGMENT_MODEL] = (float)(12.1 * GIB);
    point.values[SERIES_CLASS + SEGMENT_BROWSER] = (float)(0.2 * GIB);
    growth_add(&growth, &point);
    assert_int_equal(growth_most(&growth), SEGMENT_MODEL);
    check_growth(&growth, NULL, "+3.1 G models since -12 min");
    check_growth(&growth, &(struct growth_process){TEXT("llama-server"), 3 * GIB},
                 "+3.1 G llama-server since -12 min");
    check_growth(&growth, &(struct growth_process){TEXT("other"), 1 * GIB},
                 "+3.1 G models since -12 min");
    point.running_ns = 140LL * 1000000000;
    point.values[SERIES_CLASS + SEGMENT_MODEL] = (float)(9.1 * GIB); /* too little to be news */
    growth_add(&growth, &point);
    check_growth(&growth, NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_is_delivered),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fatal.h"
#include "snapshot_builder.h"
#include "timeline/history.h"

#define SECOND 1000000000LL

/* A snapshot at `seconds` of both clocks; the load of adapter i is seconds + i. */
static struct snapshot *draw(double seconds, size_t adapters)
{
    struct snapshot *snapshot = snapshot_new(NULL);
    snapshot->taken_at_ns = 1795953600 * SECOND + (int64_t)(seconds * 1e9);
    snapshot->monotonic_seconds = figure_known(seconds, HOW_MEASURED);
    snapshot->interval_seconds = figure_known(1, HOW_MEASURED);
    snapshot->adapters = ARENA_ARRAY(snapshot->arena, struct adapter, adapters);
    snapshot->adapter_count = adapters;
    for (size_t i = 0; i < adapters; i++) {
        snapshot->adapters[i].id = text_format(snapshot->arena, "pci:%zu", i);
        snapshot->adapters[i].load_percent = figure_known(seconds + (double)i, HOW_MEASURED);
    }
    return snapshot;
}

static void add(struct history *history, double seconds, size_t adapters)
{
    struct snapshot *snapshot = draw(seconds, adapters);
    history_add(history, snapshot);
    snapshot_drop(&snapshot);
}

static struct history_point points[2 * HISTORY_POINTS];

static size_t get(const struct history *history, const char *id, double from, double to,
                  size_t limit)
{
    struct history_request request = {.adapter_id = {id, strlen(id)},
                                      .from_ns = (int64_t)(from * 1e9),
                                      .to_ns = (int64_t)(to * 1e9),
                                      .points = points,
                                      .limit = limit};
    return history_get(history, &request) ? request.count : SIZE_MAX;
}

static void test_points_come_back(void **state)
{
    (void)state;
    struct history *history = history_new();
    assert_true(get(history, "pci:0", 0, 1e6, 10) == SIZE_MAX);
    for (int i = 1; i <= 300; i++) {
        add(history, i, 2);
    }
    assert_int_equal(get(history, "pci:1", 0, 1e6, 1000), 300);
    assert_true(points[0].running_ns == SECOND && points[299].running_ns == 300 * SECOND);
    assert_true(points[299].values[SERIES_LOAD] == 301);
    assert_int_equal(get(history, "pci:0", 100, 102, 1000), 3);
    assert_true(points[0].values[SERIES_LOAD] == 100);
    /* The newest are kept when there are more than fit. */
    assert_int_equal(get(history, "pci:0", 0, 1e6, 5), 5);
    assert_true(points[0].values[SERIES_LOAD] == 296 && points[4].values[SERIES_LOAD] == 300);
    assert_int_equal(get(history, "pci:0", 0, 1e6, 0), 0);
    assert_int_equal(get(history, "pci:0", 301, 400, 10), 0);
    assert_true(get(history, "pci:2", 0, 1e6, 10) == SIZE_MAX);
    history_free(&history);
    assert_null(history);
}

static void test_series(void **state)
{
    (void)state;
    struct history *history = history_new();
    struct snapshot *snapshot = draw(1, 1);
    struct adapter *adapter = snapshot->adapters;
    adapter->memory.vram_used_bytes = measured_known(9663676416);
    adapter->temperatures_celsius.edge = figure_known(58, HOW_MEASURED);
    adapter->temperatures_celsius.memory = figure_known(76, HOW_MEASURED);
    adapter->engines_percent[ENGINE_decode] = figure_known(0, HOW_MEASURED);
    adapter->clocks_mhz.graphics = figure_known(2254, HOW_MEASURED);
    snapshot->host.cpu_percent = figure_known(7.5, HOW_MEASURED);
    history_add(history, snapshot);
    assert_int_equal(get(history, "pci:0", 0, 10, 10), 1);
    const float *values = points[0].values;
    assert_true(values[SERIES_VRAM] == 9663676416.0f);
    assert_true(values[SERIES_TEMPERATURE] == 76);
    assert_true(values[SERIES_VIDEO] == 0);
    assert_true(values[SERIES_CLOCK] == 2254);
    assert_true(values[SERIES_HOST_CPU] == 7.5f);
    assert_true(isnan(values[SERIES_POWER]) && isnan(values[SERIES_SHARED]));
    snapshot_drop(&snapshot);
    history_free(&history);
}

static void test_gaps(void **state)
{
    (void)state;
    struct history *history = history_new();
    struct snapshot *snapshot;
    add(history, 1, 1);
    add(history, 2, 1);
    add(history, 2, 1);     /* the same again is no point */
    snapshot = draw(10, 1); /* after a pause there is no interval */
    snapshot->interval_seconds = figure_unknown(REASON_need_two_samples);
    history_add(history, snapshot);
    snapshot_drop(&snapshot);
    add(history, 11, 1);
    add(history, 12, 0); /* the adapter is away */
    add(history, 13, 1);
    add(history, 14, 1);
    snapshot = draw(15, 1); /* the machine slept for an hour: only the wall clock went on */
    snapshot->taken_at_ns += 3600 * SECOND;
    history_add(history, snapshot);
    snapshot_drop(&snapshot);
    assert_int_equal(get(history, "pci:0", 0, 100, 100), 7);
    static const bool gaps[] = {false, false, true, false, true, false, true};
    for (size_t i = 0; i < 7; i++) {
        if (points[i].gap_before != gaps[i]) {
            fail_msg("point %zu", i);
        }
    }
    add(history, 3, 1); /* the clock began anew: another boot */
    assert_int_equal(get(history, "pci:0", 0, 100, 100), 1);
    assert_false(points[0].gap_before);
    history_free(&history);
}

static void test_clock_that_is_none(void **state)
{
    (void)state;
    struct history *history = history_new();
    struct snapshot *snapshot = draw(1, 1);
    snapshot->monotonic_seconds = figure_unknown(REASON_not_reported);
    history_add(history, snapshot);
    snapshot->monotonic_seconds = (struct figure){.value = NAN, .how = HOW_MEASURED};
    history_add(history, snapshot);
    snapshot->monotonic_seconds = (struct figure){.value = 1e300, .how = HOW_MEASURED};
    history_add(history, snapshot);
    snapshot_drop(&snapshot);
    assert_true(get(history, "pci:0", 0, 100, 100) == SIZE_MAX);
    history_free(&history);
}

static void test_memory_by_class(void **state)
{
    (void)state;
    struct history *history = history_new();
    struct snapshot *s = build_snapshot();
    s->monotonic_seconds = build_figure(1);
    struct adapter *card = build_adapter(s, "pci:0", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 60 * MIB);
    build_use(build_process(s, 1, "server", CLASS_LLM), card, 20 * MIB, 0);
    build_use(build_process(s, 2, "other", CLASS_LLM), card, 5 * MIB, 0);
    struct gpu_use *matched = build_use(build_process(s, 3, "web", CLASS_BROWSER), card, -1, 0);
    matched->vram_inferred_bytes = figure_known(10 * MIB, HOW_INFERRED);
    matched->inferred_by = INFERRED_MATCHED;
    history_add(history, s);
    s->monotonic_seconds = build_figure(2);
    card->memory.vram_used_bytes = (struct measured){.why_not = REASON_not_reported};
    history_add(history, s);
    s->monotonic_seconds = build_figure(3);
    card->processes_state.unknown = true;
    history_add(history, s);
    assert_int_equal(get(history, "pci:0", 0, 10, 10), 3);
    const float *values = points[0].values + SERIES_CLASS;
    assert_true(values[SEGMENT_MODEL] == (float)(25 * MIB));
    assert_true(values[SEGMENT_BROWSER] == (float)(10 * MIB));
    assert_true(values[SEGMENT_GAME] == 0);
    assert_true(values[SEGMENT_UNATTRIBUTED] == (float)(25 * MIB));
    values = points[1].values + SERIES_CLASS;
    assert_true(values[SEGMENT_MODEL] == (float)(25 * MIB) && isnan(values[SEGMENT_UNATTRIBUTED]));
    /* A list that could not be read is unknown, not empty. */
    assert_true(isnan(points[2].values[SERIES_CLASS + SEGMENT_GAME]));
    snapshot_drop(&s);
    history_free(&history);
}

static size_t get_process(const struct history *history, int64_t pid, double from, double to)
{
    struct history_request request = {.adapter_id = TEXT("pci:0"),
                                      .from_ns = (int64_t)(from * 1e9),
                                      .to_ns = (int64_t)(to * 1e9),
                                      .process = identity_make(NAMESPACE_LOCAL, pid, 7),
                                      .points = points,
                                      .limit = 2 * HISTORY_POINTS};
    return history_get(history, &request) ? request.count : SIZE_MAX;
}

/* Process 1 is there all the time and grows by a byte a second; 300 others come and go. */
static void test_processes(void **state)
{
    (void)state;
    struct history *history = history_new();
    for (int second = 1; second <= 4000; second++) {
        struct snapshot *s = build_snapshot();
        s->monotonic_seconds = build_figure(second);
        struct adapter *card = build_adapter(s, "pci:0", "card", ADAPTER_DISCRETE);
        build_memory(card, 100 * MIB, 60 * MIB);
        build_use(build_process(s, 1, "server", CLASS_LLM), card, second, 0);
        build_use(build_process(s, 100 + second / 10, "short", CLASS_LLM), card, 2 * MIB, 0);
        history_add(history, s);
        snapshot_drop(&s);
    }
    assert_int_equal(get_process(history, 1, 0, 1e6), 450);
    assert_true(points[449].values[SERIES_VRAM] == 4000 && points[449].running_ns == 4000 * SECOND);
    assert_true(points[448].values[SERIES_VRAM] == 3992 && points[448].running_ns == 3992 * SECOND);
    assert_true(points[447].values[SERIES_VRAM] == 3984);
    assert_true(isnan(points[0].values[SERIES_LOAD]));
    assert_int_equal(get_process(history, 1, 3900, 3950), 6);
    assert_int_equal(get_process(history, 500, 0, 1e6), 1);
    assert_int_equal(get_process(history, 110, 0, 1e6), 0); /* long gone: made room */
    assert_int_equal(get_process(history, 9999, 0, 1e6), 0);
    history_free(&history);
}

/* An hour of eight adapters fits; more adapters share the room, and who is gone makes room first.
 */
static void test_budget(void **state)
{
    (void)state;
    struct history *history = history_new();
    add(history, 1, 9); /* the ninth is there once */
    for (int i = 2; i <= 5000; i++) {
        add(history, i, 8);
    }
    for (int i = 0; i < 8; i++) {
        char id[16];
        snprintf(id, sizeof id, "pci:%d", i);
        assert_int_equal(get(history, id, 0, 1e6, 2 * HISTORY_POINTS), HISTORY_POINTS);
        assert_true(points[HISTORY_POINTS - 1].running_ns == 5000 * SECOND);
        assert_true(points[0].running_ns == (5000 - HISTORY_POINTS + 1) * SECOND);
    }
    for (int i = 5001; i <= 9000; i++) {
        add(history, i, 16);
    }
    assert_true(get(history, "pci:8", 0, 1e6, 2 * HISTORY_POINTS) >= 1800);
    assert_true(get(history, "pci:0", 0, 1e6, 2 * HISTORY_POINTS) >= 1800);
    for (int i = 9001; i <= 9010; i++) {
        add(history, i, 400); /* more adapters than blocks: only the newest points survive */
    }
    assert_int_equal(get(history, "pci:399", 9010, 1e6, 100), 1);
    assert_int_equal(get(history, "pci:200", 9010, 1e6, 100), 1);
    history_free(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_come_back),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_clock_that_is_none),
        cmocka_unit_test(test_memory_by_class),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

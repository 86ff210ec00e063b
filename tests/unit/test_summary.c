/* Peaks, means and quantiles over time, and what a row of snapshots comes to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "snapshot/json.h"
#include "snapshot/scan.h"
#include "timeline/summary.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-6 * fabs(b))

static void test_statistic(void **state)
{
    (void)state;
    struct statistic s = {0};
    statistic_add(&s, 50, 0, 1, HOW_MEASURED); /* one sample that stands for no time */
    NEAR(statistic_mean(&s), 50.0);
    NEAR(statistic_quantile(&s, 0.95), 50.0);
    statistic_add(&s, 10, 8, 2, HOW_MEASURED);
    statistic_add(&s, 20, 2, 3, HOW_REPORTED);
    NEAR(statistic_mean(&s), 12.0);
    assert_true(s.peak == 50 && s.peak_at_ns == 1 && s.least == 10);
    NEAR(statistic_quantile(&s, 0.8), 10.0);
    NEAR(statistic_quantile(&s, 0.81), 20.0);
    assert_int_equal(statistic_how(&s), HOW_REPORTED);
    statistic_free(&s);
}

/* Within two percent for many values, wherever the scale begins. */
static void test_many_values(void **state)
{
    (void)state;
    static const double scales[] = {0.001, 1, 1e9};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        struct statistic up = {0}, down = {0};
        for (int k = 1; k <= 10000; k++) {
            statistic_add(&up, k * scales[i], 1, k, HOW_MEASURED);
            statistic_add(&down, (10001 - k) * scales[i], 1, k, HOW_MEASURED);
        }
        for (double share = 0.05; share < 1; share += 0.05) {
            double exact = 10000 * share * scales[i];
            assert_true(fabs(statistic_quantile(&up, share) / exact - 1) < 0.021);
            assert_true(fabs(statistic_quantile(&down, share) / exact - 1) < 0.021);
        }
        statistic_free(&up);
        statistic_free(&down);
    }
    struct statistic zeros = {0};
    for (int k = 0; k < 1000; k++) {
        statistic_add(&zeros, k < 960 ? 0 : k, 1, k, HOW_MEASURED);
    }
    assert_true(statistic_quantile(&zeros, 0.95) == 0);
    statistic_free(&zeros);
}

static void add_line(struct summary *summary, const char *text)
{
    struct problem problem = {""};
    struct snapshot *snapshot = snapshot_read(text, strlen(text), "test", 1, NULL, &problem);
    if (!snapshot) {
        fail_msg("%s", problem.text);
    }
    summary_add(summary, snapshot);
    snapshot_drop(&snapshot);
}

/* A sample at a second of a boot, with an interval ("null" or a number) and more members. */
static void add_sample(struct summary *summary, const char *boot, double second,
                       const char *interval, const char *members)
{
    char text[8192];
    snprintf(text, sizeof text,
             "{\"schema\":\"gputaskman/1\",\"taken_at\":\"2026-11-29T12:%02d:%02dZ\","
             "\"monotonic_seconds\":%g,\"interval_seconds\":%s,\"host\":{\"boot_id\":\"%s\"}%s}",
             (int)second / 60 % 60, (int)second % 60, second, interval, boot, members);
    add_line(summary, text);
}

static const char *adapter(const char *members)
{
    static char text[1024];
    snprintf(text, sizeof text, ",\"adapters\":[{\"index\":0,\"id\":\"pci:a\",\"name\":\"A\",%s}]",
             members);
    return text;
}

static void test_time(void **state)
{
    (void)state;
    struct summary *summary = summary_new();
    add_sample(summary, "b", 100, "null", adapter("\"load_percent\":100"));
    add_sample(summary, "b", 101, "1", adapter("\"load_percent\":10"));
    add_sample(summary, "b", 103, "2", adapter("\"load_percent\":40"));
    /* Lines were lost: the sample stands for its own interval. */
    add_sample(summary, "b", 113, "1", adapter("\"load_percent\":80"));
    /* The recorder was started again. */
    add_sample(summary, "b", 500, "null", adapter("\"load_percent\":90"));
    add_sample(summary, "b", 501, "1", adapter("\"load_percent\":90"));
    /* A second recorder writes in between. */
    add_sample(summary, "b", 501.5, "1", adapter("\"load_percent\":90"));
    add_sample(summary, "b", 501.25, "1", adapter("\"load_percent\":90"));
    /* Another boot; its running clock begins anew. */
    add_sample(summary, "c", 502, "1", adapter("\"load_percent\":90"));
    assert_int_equal(summary->samples, 9);
    NEAR(summary->seconds, 1 + 2 + 1 + 0 + 1 + 0.5 + 0 + 1.0);
    assert_int_equal(summary->boots, 2);
    assert_int_equal(summary->parts, 4);
    assert_int_equal(summary->adapter_count, 1);
    const struct statistic *load = &summary->adapters[0].load_percent;
    NEAR(statistic_mean(load), (10 + 2 * 40 + 80 + 2.5 * 90) / 6.5);
    assert_true(load->peak == 100);
    summary_free(&summary);
}

/* The files of one machine, given out of order. */
static void test_span(void **state)
{
    (void)state;
    struct summary *summary = summary_new();
    add_sample(summary, "b", 200, "null", "");
    add_sample(summary, "b", 260, "1", "");
    add_sample(summary, "b", 100, "null", "");
    add_sample(summary, "b", 160, "1", "");
    NEAR((double)(summary->last_ns - summary->first_ns) / 1e9, 160.0);
    summary_free(&summary);
}

static void test_wall_clock(void **state)
{
    (void)state;
    struct summary *summary = summary_new();
    add_sample(summary, "b", 100, "1", adapter("\"load_percent\":50"));
    add_line(summary, "{\"schema\":\"gputaskman/1\",\"taken_at\":\"2020-01-01T00:00:00Z\","
                      "\"monotonic_seconds\":101,\"interval_seconds\":1,"
                      "\"host\":{\"boot_id\":\"b\"}}");
    assert_int_equal(summary->clock_jumps, 1);
    NEAR(summary->seconds, 2.0);
    assert_int_equal(summary->parts, 1);
    summary_free(&summary);
}

static void test_energy(void **state)
{
    (void)state;
    struct summary *summary = summary_new();
    add_sample(summary, "b", 100, "null", adapter("\"energy_joules\":1000,\"power_watts\":50"));
    add_sample(summary, "b", 102, "2", adapter("\"energy_joules\":1300,\"power_watts\":50"));
    add_sample(summary, "b", 104, "2", adapter("\"energy_joules\":1500,\"power_watts\":50"));
    /* Set back: the driver was loaded anew; then a gap, which counts for nothing. */
    add_sample(summary, "b", 106, "2", adapter("\"energy_joules\":10,\"power_watts\":50"));
    add_sample(summary, "b", 200, "1", adapter("\"energy_joules\":9000,\"power_watts\":60"));
    add_sample(summary, "b", 201, "1", adapter("\"power_watts\":70"));
    const struct summary_adapter *a = &summary->adapters[0];
    NEAR(a->energy_joules, 500.0);
    NEAR(a->energy_seconds, 4.0);
    NEAR(a->energy_estimated_joules, 100 + 60 + 70.0);
    NEAR(a->energy_estimated_seconds, 4.0);
    summary_free(&summary);
}

static const char *process(const char *id, const char *gpu)
{
    static char text[2048];
    snprintf(text, sizeof text,
             ",\"adapters\":[{\"index\":0,\"id\":\"pci:a\",\"power_watts\":100},"
             "{\"index\":1,\"id\":\"pci:b\"}],\"processes\":[{\"id\":\"%s\",\"label\":\"7\","
             "\"name\":\"x\",\"class\":\"llm\",\"tracked\":true,\"models\":[{\"name\":\"M\"}],"
             "\"gpus\":[{\"adapter_id\":\"pci:a\",%s}]}]",
             id, gpu);
    return text;
}

static void test_processes(void **state)
{
    (void)state;
    struct summary *summary = summary_new();
    add_sample(summary, "b", 100, "1",
               process("local/7/1", "\"vram_bytes\":100,\"load_percent\":50,\"spill_bytes\":0"));
    add_sample(summary, "b", 101, "1",
               process("local/7/1", "\"vram_inferred_bytes\":500,\"inferred_by\":\"guess\","
                                    "\"load_percent\":10,\"load_inferred_by\":\"matched\""));
    add_sample(summary, "b", 102, "1", process("local/7/1", "\"vram_bytes\":300"));
    /* The pid was reused, then the same pid and stamp in another boot. */
    add_sample(summary, "b", 103, "1", process("local/7/9", "\"vram_bytes\":9"));
    add_sample(summary, "c", 10, "1", process("local/7/9", "\"vram_bytes\":8"));
    summary_sort(summary);
    assert_int_equal(summary->process_count, 3);
    const struct summary_process *p = &summary->processes[0];
    assert_string_equal(p->id, "local/7/1");
    NEAR(p->seconds, 3.0);
    assert_int_equal(p->use_count, 1);
    const struct summary_use *use = &p->uses[0];
    NEAR(statistic_mean(&use->vram_bytes), 200.0);
    assert_true(use->vram_bytes.peak == 300 && use->vram_bytes.seconds == 2);
    assert_true(use->vram_inferred_bytes.peak == 500 && use->vram_guessed);
    assert_true(use->load_percent.peak == 50 && use->load_percent.seconds == 1);
    assert_true(use->load_inferred_percent.peak == 10 && !use->load_guessed);
    assert_true(statistic_is_known(&use->spill_bytes) && use->spill_bytes.peak == 0);
    NEAR(use->energy_estimated_joules, 50 + 10.0);
    assert_int_equal(p->model_count, 1);
    NEAR(p->models[0].seconds, 3.0);
    const struct summary_adapter *a = &summary->adapters[0];
    assert_true(a->tracked_vram_bytes.peak == 300 && a->tracked_incomplete);
    assert_false(statistic_is_known(&summary->adapters[1].tracked_vram_bytes));
    summary_free(&summary);
}

/* More processes than are kept: the largest stay, the others are counted. */
static void test_many_processes(void **state)
{
    (void)state;
    struct summary *summary = summary_new();
    for (int i = 0; i < 3 * SUMMARY_PROCESSES_MAX; i++) {
        char id[32], gpu[64];
        snprintf(id, sizeof id, "local/%d/5", i + 1);
        snprintf(gpu, sizeof gpu, "\"vram_bytes\":%d", i % 100 == 50 ? 1000000 : i);
        const char *text = process(id, gpu);
        char *tracked = strstr((char *)(uintptr_t)text, "true");
        memcpy(tracked, "null", 4);
        char members[4096];
        snprintf(members, sizeof members, "%.*sfalse%s", (int)(tracked - text), text, tracked + 4);
        add_sample(summary, "b", 100 + i, "1", members);
    }
    assert_int_equal(summary->process_count, SUMMARY_PROCESSES_MAX);
    assert_int_equal(summary->processes_left_out, 2 * SUMMARY_PROCESSES_MAX);
    assert_true(summary->left_out_peak_bytes.known && summary->left_out_peak_bytes.value < 1000000);
    summary_sort(summary);
    for (int i = 0; i < 3 * SUMMARY_PROCESSES_MAX / 100; i++) {
        assert_true(summary_process_peak_bytes(&summary->processes[i]) == 1000000);
    }
    summary_free(&summary);
}

static void test_events(void **state)
{
    (void)state;
    struct summary *summary = summary_new();
    for (int i = 0; i < 100; i++) {
        char members[256];
        snprintf(members, sizeof members,
                 ",\"events\":[{\"seq\":%d,\"kind\":\"%s\",\"text\":\"number %d\"}]", i,
                 i % 2 ? "odd" : "even", i);
        add_sample(summary, "b", 100 + i, "1", members);
    }
    assert_int_equal(summary->event_count, 100);
    assert_int_equal(summary->event_kind_count, 2);
    assert_int_equal(summary->event_kinds[1].count, 50);
    assert_string_equal(summary->events[99 % SUMMARY_EVENTS_MAX].text, "number 99");
    summary_free(&summary);
}

/* Every line of the demonstration, as it stands and as our writer writes it, can be scanned. */
static void test_scanner(void **state)
{
    (void)state;
    char path[1024], *bytes = NULL;
    size_t size = 0;
    struct problem problem = {""};
    const char *cases = getenv("GPUTASKMAN_TEST_CASES");
    assert_non_null(cases);
    snprintf(path, sizeof path, "%s/../../data/demo.jsonl", cases);
    assert_true(file_read_all(path, 1 << 24, &bytes, &size, &problem));
    struct snapshot_scanner *scanner = scanner_new(summary_fields);
    struct buffer out = {0};
    int lines = 0;
    for (char *at = bytes; at < bytes + size; lines++) {
        char *end = memchr(at, '\n', (size_t)(bytes + size - at));
        size_t length = end ? (size_t)(end - at) : (size_t)(bytes + size - at);
        assert_non_null(scanner_read(scanner, at, length));
        /* Cut anywhere it is left to the reader, which refuses it. */
        assert_null(scanner_read(scanner, at, length - 1));
        assert_null(scanner_read(scanner, at, length / 2));
        struct snapshot *snapshot = snapshot_read(at, length, path, 1, NULL, &problem);
        assert_non_null(snapshot);
        out.size = 0;
        snapshot_write(snapshot, false, &out);
        assert_non_null(scanner_read(scanner, out.bytes, out.size));
        snapshot_drop(&snapshot);
        at += length + 1;
    }
    assert_true(lines > 10);
    buffer_free(&out);
    scanner_free(&scanner);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistic),  cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_time),       cmocka_unit_test(test_span),
        cmocka_unit_test(test_wall_clock), cmocka_unit_test(test_energy),
        cmocka_unit_test(test_processes),  cmocka_unit_test(test_many_processes),
        cmocka_unit_test(test_events),     cmocka_unit_test(test_scanner),
    };
    return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}

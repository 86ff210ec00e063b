/* An adapter's facts and the sentences about what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_builder.h"
#include "view/adapter_line.h"
#include "view/reasons_text.h"

/* The facts joined by " | ". */
static const char *facts_of(const struct adapter *adapter, bool ascii)
{
    static char out[2048];
    struct adapter_fact facts[FACT_KIND_COUNT];
    size_t count = adapter_facts(adapter, ascii, facts);
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(out, i ? " | " : "");
        strcat(out, facts[i].text);
        strcat(out, fact_source_words(facts[i].how));
        if (facts[i].alarming)
            strcat(out, "!");
    }
    return out;
}

static void test_everything(void **state)
{
    static const struct text reasons[] = {{"idle", 4}, {"thermal_gpu\x1b[31m", 16}};
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    (void)state;
    build_memory(a, 24 * GIB, 19.1 * GIB);
    a->load_percent = figure_known(96.4, HOW_REPORTED);
    a->temperatures_celsius.edge = build_figure(58);
    a->temperatures_celsius.hotspot = build_figure(71);
    a->power_watts = build_figure(214);
    a->power_limit_watts = build_figure(236);
    a->clocks_mhz.graphics = build_figure(2254);
    a->fan_percent = build_figure(50.2);
    a->pcie = (struct pcie){build_figure(1.2e9), build_figure(0), build_figure(3),
                            build_figure(8),     build_figure(4), build_figure(16)};
    a->memory_activity_percent = build_figure(41);
    a->engines_percent[ENGINE_decode] = build_figure(12);
    a->engines_percent[ENGINE_encode] = build_figure(0);
    a->throttle_reasons = (struct text_list){.items = reasons, .count = 2, .known = true};
    a->throttle_how = HOW_MEASURED;
    a->errors.xid_last = build_figure(79);
    a->errors.ecc_uncorrected = build_figure(1);
    assert_string_equal(facts_of(a, false),
                        "load 96 % reported | 19.1 / 24.0 GiB | 58 \u00b0C, hotspot 71 | "
                        "214 of 236 W | 2254 MHz | fan 50 % | PCIe 3\u00d78 of 4\u00d716 | "
                        "in 1.2 GB/s, out 0 | memory busy 41 % | decode 12 %, encode 0 % | "
                        "throttled: thermal gpu31m! | Xid 79, 1 uncorrected ECC error!");
    a->errors = (struct adapter_errors){.xid_last = build_figure(0)};
    a->throttle_reasons.count = 1; /* idle */
    a->pcie.max_generation = build_figure(3);
    a->pcie.max_width = build_figure(8);
    a->engines_percent[ENGINE_decode] = a->engines_percent[ENGINE_encode] =
        figure_unknown(REASON_unified_ring);
    a->engines_percent[ENGINE_video] = build_figure(7);
    a->temperatures_celsius.edge = figure_unknown(REASON_not_reported);
    assert_string_equal(facts_of(a, true),
                        "load 96 % reported | 19.1 / 24.0 GiB | hotspot 71 C | 214 of 236 W | "
                        "2254 MHz | fan 50 % | PCIe 3x8 | in 1.2 GB/s, out 0 | memory busy 41 % | "
                        "video 7 %");
    snapshot_drop(&s);
}

/* Bit 36 of AMD's firmware is set on cold cards too. */
static void test_what_alarms(void **state)
{
    static const struct {
        const char *reasons[2];
        const char *line;
    } rows[] = {
        {{"thermal_hotspot", NULL}, "throttled: thermal hotspot reported"},
        {{"power_ppt0", "thermal_hotspot"}, "throttled: power ppt0, thermal hotspot reported"},
        {{"thermal_hotspot", "thermal_mem"}, "throttled: thermal hotspot, thermal mem reported!"},
        {{"hw_thermal_slowdown", NULL}, "throttled: hw thermal slowdown reported!"},
        {{"sw_power_cap", NULL}, "throttled: sw power cap reported"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct snapshot *s = build_snapshot();
        struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
        struct text reasons[2];
        size_t count = 0;
        for (; count < 2 && rows[i].reasons[count]; count++)
            reasons[count] = (struct text){rows[i].reasons[count], strlen(rows[i].reasons[count])};
        a->throttle_reasons = (struct text_list){.items = reasons, .count = count, .known = true};
        a->throttle_how = HOW_REPORTED;
        assert_non_null(strstr(facts_of(a, true), rows[i].line));
        bool alarms = rows[i].line[strlen(rows[i].line) - 1] == '!';
        assert_int_equal(strchr(facts_of(a, true), '!') != NULL, alarms);
        snapshot_drop(&s);
    }
}

static void test_what_is_missing(void **state)
{
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    (void)state;
    assert_string_equal(facts_of(a, true), "load n/a | memory n/a");
    a->memory.vram_total_bytes = build_bytes(8 * GIB);
    assert_string_equal(facts_of(a, true), "load n/a | 8.0 GiB in all");
    a->memory.vram_total_bytes = measured_unknown(REASON_not_supported);
    a->memory.vram_used_bytes = build_bytes(3 * GIB);
    assert_string_equal(facts_of(a, true), "load n/a | 3.0 GiB in use");
    a->memory.vram_used_bytes = measured_unknown(REASON_device_suspended);
    a->power_state = POWER_SUSPENDED;
    assert_string_equal(facts_of(a, true), "asleep");
    a->power_state = POWER_LOST;
    assert_string_equal(facts_of(a, true), "lost!");
    snapshot_drop(&s);
}

static void test_unified(void **state)
{
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_INTEGRATED);
    (void)state;
    build_memory(a, 2 * GIB, 1 * GIB);
    a->memory.unified = true;
    a->load_percent = build_figure(0);
    assert_string_equal(facts_of(a, true), "load 0 % | 1.0 / 2.0 GiB unified"); /* one pool */
    a->memory.shared_total_bytes = build_bytes(30 * GIB);
    a->memory.shared_used_bytes = build_bytes(2.2 * GIB);
    assert_string_equal(facts_of(a, true), "load 0 % | 3.2 / 32.0 GiB unified");
    a->memory.shared_used_bytes = measured_unknown(REASON_call_failed);
    assert_string_equal(facts_of(a, true), "load 0 % | 32.0 GiB unified in all");
    snapshot_drop(&s);
}

static void test_memory_reasons(void **state)
{
    static const struct {
        unsigned long long reasons;
        bool plural;
        const char *sentence;
    } cases[] = {
        {0, false, ""},
        {1ULL << REASON_shared_buffers, false,
         "kwin shares its buffers, so its bytes can't be told apart"},
        {1ULL << REASON_shared_buffers | 1ULL << REASON_primary_node, false,
         "kwin shares its buffers and holds the primary node, so its bytes can't be told apart"},
        {1ULL << REASON_shared_buffers | 1ULL << REASON_primary_node | 1ULL << REASON_shared_client,
         true,
         "kwin hold their GPU client together with other processes, share their buffers and hold "
         "the "
         "primary node, so their bytes can't be told apart"},
        {1ULL << REASON_need_two_samples, false, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[REASON_TEXT_SIZE];
        reason_of_memory((struct reason_set){cases[i].reasons}, "kwin", cases[i].plural, out);
        assert_string_equal(out, cases[i].sentence);
    }
    char longest[REASON_TEXT_SIZE];
    reason_of_memory((struct reason_set){~0ULL}, "kwin", false, longest); /* fits or is cut */
    assert_true(strlen(longest) < sizeof longest);
    char brief[REASON_TEXT_SIZE] = "as it was";
    assert_false(reason_of_memory_brief((struct reason_set){0}, brief));
    assert_false(
        reason_of_memory_brief((struct reason_set){1ULL << REASON_need_two_samples}, brief));
    assert_string_equal(brief, "as it was");
    assert_true(reason_of_memory_brief(
        (struct reason_set){1ULL << REASON_primary_node | 1ULL << REASON_shared_client}, brief));
    assert_string_equal(brief, "shares its GPU client, holds the primary node");
    assert_true(reason_of_memory_brief((struct reason_set){~0ULL}, longest));
    assert_true(strlen(longest) < sizeof longest);
}

static void test_cell_reasons(void **state)
{
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct process *process = build_process(s, 4, "kwin_wayland", CLASS_COMPOSITOR);
    struct gpu_use *use = build_use(process, a, -1, -1);
    struct rows_options options = {.all = true};
    struct row row;
    char out[REASON_TEXT_SIZE];
    (void)state;
    use->load_percent = figure_unknown(REASON_need_two_samples);
    use->vram_bytes = measured_unknown(REASON_driver_hides);
    row_fold(&row, s, process, &options);
    reason_of_cell(&row, COLUMN_vram, out);
    assert_string_equal(out, "VRAM of kwin_wayland: the driver hides this from inside a container");
    reason_of_cell(&row, COLUMN_gpu, out);
    assert_string_equal(out, "GPU% of kwin_wayland: a rate needs two samples");
    use->load_percent = figure_unknown(REASON_shared_client);
    row_fold(&row, s, process, &options);
    reason_of_cell(&row, COLUMN_gpu, out);
    assert_string_equal(out,
                        "GPU% of kwin_wayland: several processes hold the same GPU client, and one "
                        "counter can't say who used it");
    reason_of_cell(&row, COLUMN_spill, out); /* blank: nothing to explain */
    assert_string_equal(out, "");
    reason_set_add(&use->vram_unattributed_reasons, REASON_shared_buffers);
    process->name = TEXT_NONE;
    row_fold(&row, s, process, &options);
    reason_of_cell(&row, COLUMN_vram, out);
    assert_string_equal(out, "process 4 shares its buffers, so its bytes can't be told apart");
    reason_of_cell(&row, COLUMN_name, out);
    assert_string_equal(out, "NAME of process 4: not permitted: run with sudo to see it");
    snapshot_drop(&s);
}

static void test_unreadable(void **state)
{
    struct process_status status = {.unreadable = measured_known(0)};
    char out[REASON_TEXT_SIZE];
    (void)state;
    reason_of_unreadable(&status, out);
    assert_string_equal(out, "");
    status.unreadable = measured_known(1031);
    reason_of_unreadable(&status, out);
    assert_string_equal(out, "1,031 processes could not be read: sudo shows what is in there");
    status.advice = build_text("do this");
    reason_of_unreadable(&status, out);
    assert_string_equal(out, "do this");
    status.unreadable = measured_unknown(REASON_starting);
    reason_of_unreadable(&status, out);
    assert_string_equal(out, "");
    reason_of_adapter("load", REASON_device_lost, out);
    assert_string_equal(out, "load n/a: the GPU has fallen off the bus or needs a reset");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),      cmocka_unit_test(test_what_alarms),
        cmocka_unit_test(test_what_is_missing), cmocka_unit_test(test_unified),
        cmocka_unit_test(test_memory_reasons),  cmocka_unit_test(test_cell_reasons),
        cmocka_unit_test(test_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

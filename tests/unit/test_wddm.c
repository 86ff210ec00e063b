#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/wddm/counters.h"
#include "gpu/wddm/host_command.h"
#include "gpu/wddm/host_line.h"
#include "gpu/wddm/instance.h"

static struct wddm_instance parsed(const char *name)
{
    struct wddm_instance instance;
    assert_true(wddm_instance_parse(raw_from_string(name), &instance));
    return instance;
}

static void test_instances(void **state)
{
    (void)state;
    struct wddm_instance memory = parsed("pid_4321_luid_0x00000001_0x0000D1A2_phys_3#12");
    assert_true(memory.has_pid && !memory.has_engine);
    assert_int_equal(memory.pid, 4321);
    assert_int_equal(memory.luid, 0x10000d1a2);
    assert_int_equal(memory.physical, 3);
    assert_int_equal(memory.duplicate, 12);
    struct wddm_instance engine =
        parsed("PID_4_LUID_0x00000000_0x0000d1a2_phys_0_eng_3_engtype_High Priority 3D");
    assert_true(engine.has_engine);
    assert_int_equal(engine.engine, 3);
    assert_true(raw_equal_string(engine.type, "High Priority 3D"));
    assert_int_equal(parsed("pid_4_luid_0x0_0x1_phys_0_eng_1_engtype_").type.length, 0);
    struct wddm_instance adapter = parsed("luid_0x00000000_0x0000D1A2_phys_0_part_2");
    assert_true(!adapter.has_pid && adapter.has_part);
    assert_int_equal(adapter.part, 2);
}

static void test_what_is_no_instance(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "_Total",
        "pid_1",
        "pid_x_luid_0x0_0x1_phys_0",
        "pid_1_luid_0x0_0x1",
        "pid_1_luid_0_1_phys_0",
        "pid_1_luid_0x0_0x123456789_phys_0",
        "pid_99999999999_luid_0x0_0x1_phys_0",
        "pid_1_luid_0x0_0x1_phys_0_eng_1",
        "pid_1_luid_0x0_0x1_phys_0x",
        "luid_0x0_0x1_phys_0_eng_1_engtype_3D",
        "pid_-1_luid_0x0_0x1_phys_0",
    };
    struct wddm_instance instance;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wddm_instance_parse(raw_from_string(names[i]), &instance))
            fail_msg("%s", names[i]);
}

static void test_engine_types(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        enum engine column;
    } types[] = {
        {"3D", ENGINE_gfx},
        {"3d", ENGINE_gfx},
        {"High Priority 3D", ENGINE_gfx},
        {"Graphics_1", ENGINE_gfx},
        {"VR", ENGINE_gfx},
        {"Compute_0", ENGINE_compute},
        {"Compute 3", ENGINE_compute},
        {"High Priority Compute", ENGINE_compute},
        {"Cuda", ENGINE_compute},
        {"Copy", ENGINE_copy},
        {"VideoDecode", ENGINE_decode},
        {"Video Decode 1", ENGINE_decode},
        {"VideoEncode", ENGINE_encode},
        {"Video Encode 0", ENGINE_encode},
        {"VideoCodec", ENGINE_video},
        {"Video Codec 0", ENGINE_video},
        {"VideoProcessing", ENGINE_other},
        {"LegacyOverlay", ENGINE_other},
        {"OFA_0", ENGINE_other},
        {"", ENGINE_other},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (wddm_engine_column(raw_from_string(types[i].type)) != types[i].column)
            fail_msg("%s", types[i].type);
}

static void test_a_sample(void **state)
{
    struct host_line line;
    const char *text =
        "{\"t\":1.5,\"new\":1,\"pdh\":{\"\\\\GPU Process Memory(*)\\\\Local Usage\":"
        "[[\"pid_7_luid_0x0_0x1_phys_0\",5],[\"pid_7_luid_0x0_0x1_phys_0#1\",null],"
        "[\"pid_7_luid_0x0_0x1_phys_0\",-5],[\"pid_7_luid_0x0_0x1_phys_0\",99999999999999999999],"
        "[\"other\",1]],\"\\\\GPU Process Memory(*)\\\\Non Local Usage\":null,"
        "\"\\\\GPU Adapter Memory(*)\\\\Dedicated Usage\":[]},"
        "\"processes\":[[7,\"a\",1.25],[8,\"b\",null],[9,\"c\"]]}";
    host_line_parse(raw_from_string(text), *state, &line);
    assert_int_equal(line.kind, HOST_LINE_SAMPLE);
    assert_true(line.seconds == 1.5);
    const struct wddm_list *local = &line.sample.process[WDDM_LOCAL];
    assert_true(local->read);
    assert_int_equal(local->count, 4);
    assert_true(local->items[0].bytes.known);
    assert_int_equal(local->items[0].bytes.value, 5);
    assert_int_equal(local->items[1].bytes.why_not, REASON_bad_status);
    assert_int_equal(local->items[2].bytes.why_not, REASON_larger_than_adapter);
    assert_int_equal(local->items[3].bytes.why_not, REASON_larger_than_adapter);
    assert_false(line.sample.process[WDDM_NON_LOCAL].read);
    assert_false(line.sample.process[WDDM_COMMITTED].read);
    assert_true(line.sample.adapter[WDDM_ADAPTER_DEDICATED].read);
    assert_false(line.sample.engines_read);
    assert_int_equal(line.sample.process_count, 3);
    assert_int_equal(line.sample.processes[0].started_us, 1250000);
    assert_false(line.sample.processes[1].has_started);
}

static void test_what_is_no_sample(void **state)
{
    static const struct {
        const char *text;
        enum host_line_kind kind;
    } lines[] = {
        {"", HOST_LINE_NONE},
        {"nonsense", HOST_LINE_NONE},
        {"[1]", HOST_LINE_NONE},
        {"{\"t\":1", HOST_LINE_NONE},
        {"{\"t\":1}{\"t\":2}", HOST_LINE_NONE},
        {"{\"pdh\":{}}", HOST_LINE_NONE},
        {"{\"t\":\"1\"}", HOST_LINE_NONE},
        {"\xff\xfe{\"t\":1}", HOST_LINE_NONE},
        {"{\"t\":1,\"x\":\"\xff\"}", HOST_LINE_NONE},
        {"{\"event\":\"hello\"}", HOST_LINE_HELLO},
        {"{\"event\":\"bye\",\"text\":\"x\"}", HOST_LINE_BYE},
        {"{\"event\":\"error\"}", HOST_LINE_ERROR},
        {"{\"event\":7,\"t\":1}", HOST_LINE_OTHER},
        {"{\"t\":1}\r", HOST_LINE_SAMPLE},
        {"{\"t\":1}", HOST_LINE_SAMPLE},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct host_line line;
        host_line_parse(raw_from_string(lines[i].text), *state, &line);
        if (line.kind != lines[i].kind)
            fail_msg("%s: %d", lines[i].text, (int)line.kind);
    }
}

static void test_the_command(void **state)
{
    (void)state;
    /* PowerShell's own example of -EncodedCommand: UTF-16LE, then base64. */
    char *three = host_command_encode("dir", 3), *one = host_command_encode("a", 1);
    assert_string_equal(three, "ZABpAHIA");
    assert_string_equal(one, "YQA=");
    free(three);
    free(one);
    char *whole = host_command();
    assert_true(strlen(whole) < HOST_COMMAND_LIMIT);
    free(whole);
}

static int set_up(void **state)
{
    *state = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instances),         cmocka_unit_test(test_what_is_no_instance),
        cmocka_unit_test(test_engine_types),      cmocka_unit_test(test_a_sample),
        cmocka_unit_test(test_what_is_no_sample), cmocka_unit_test(test_the_command),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reading/reading.h"

static void test_identity_text(void **state)
{
    static const struct {
        struct identity identity;
        const char *id, *label;
    } cases[] = {
        {{.pid = 4242, .start_stamp = 181237, .space = NAMESPACE_LOCAL},
         "local/4242/181237",
         "4242"},
        {{.pid = 645400, .start_stamp = IDENTITY_NO_STAMP, .space = NAMESPACE_HOST},
         "host/645400/?",
         "H:645400"},
        {{.pid = 9000, .start_stamp = 133000000000000000, .space = NAMESPACE_WINDOWS},
         "windows/9000/133000000000000000",
         "W:9000"},
        {{.pid = INT64_MAX, .start_stamp = UINT64_MAX - 1, .space = NAMESPACE_WINDOWS},
         "windows/9223372036854775807/18446744073709551614",
         "W:9223372036854775807"},
        {{.pid = 0, .start_stamp = 0, .space = NAMESPACE_LOCAL}, "local/0/0", "0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[IDENTITY_ID_SIZE];
        struct identity parsed;

        identity_format(cases[i].identity, text);
        assert_string_equal(text, cases[i].id);
        assert_true(identity_parse(text, &parsed));
        assert_true(identity_equal(parsed, cases[i].identity));
        assert_memory_equal(&parsed, &cases[i].identity, sizeof parsed); /* a key of maps */
        identity_label(cases[i].identity, text);
        assert_string_equal(text, cases[i].label);
    }
}

static void test_identity_malformed(void **state)
{
    static const char *const cases[] = {
        "",
        "local",
        "local/1",
        "local/1/",
        "local//1",
        "/1/1",
        "Local/1/1",
        "local/1/1/",
        "local/1/1x",
        "local/-1/1",
        "local/+1/1",
        "local/ 1/1",
        "local/1/ 1",
        "local/01/1",
        "local/1/??",
        "local/9223372036854775808/1",
        "local/1/18446744073709551615",
        "local/1/18446744073709551616",
        "other/1/1",
        "local/1/1\n",
    };
    struct identity untouched = {.pid = 5};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (identity_parse(cases[i], &untouched))
            fail_msg("\"%s\" was accepted", cases[i]);
    assert_int_equal(untouched.pid, 5);
}

static void test_reasons(void **state)
{
    (void)state;
    for (int i = 0; i < REASON_COUNT; i++) {
        enum reason back = REASON_COUNT;
        const char *code = reason_code((enum reason)i);

        assert_true(strlen(reason_words((enum reason)i)) > 5);
        assert_true(reason_from_code((struct text){code, strlen(code)}, &back));
        assert_int_equal(back, i);
    }
    enum reason none = REASON_stale;

    assert_false(reason_from_code(TEXT("not_a_reason"), &none));
    assert_false(reason_from_code(TEXT_NONE, &none));
    assert_int_equal(none, REASON_stale);
    assert_string_equal(reason_code(REASON_need_two_samples), "need_two_samples");
    assert_string_equal(reason_code((enum reason)999), "not_reported");

    struct reason_set set = {0};

    assert_true(reason_set_is_empty(set));
    reason_set_add(&set, REASON_attributed_exceeds_device);
    assert_true(reason_set_has(set, REASON_attributed_exceeds_device));
    assert_false(reason_set_has(set, REASON_not_reported));
}

static void test_names(void **state)
{
    /* SNAPSHOT: sources[].state, engines_percent, how */
    static const struct {
        enum source_state state;
        const char *name;
    } states[] = {
        {SOURCE_OK, "ok"},         {SOURCE_ABSENT, "absent"},
        {SOURCE_OFF, "off"},       {SOURCE_STARTING, "starting"},
        {SOURCE_STALE, "stale"},   {SOURCE_PARTIAL, "partial"},
        {SOURCE_FAILED, "failed"},
    };
    static const char *const engines[] = {"gfx",   "compute", "copy", "decode", "encode",
                                          "video", "enhance", "jpeg", "ofa",    "other"};
    static const char *const hows[] = {"unavailable", "measured", "reported", "estimated",
                                       "inferred"};

    (void)state;
    assert_int_equal(sizeof states / sizeof states[0], SOURCE_STATE_COUNT);
    for (size_t i = 0; i < SOURCE_STATE_COUNT; i++)
        assert_string_equal(source_state_name(states[i].state), states[i].name);
    assert_int_equal(sizeof engines / sizeof engines[0], ENGINE_COUNT);
    for (int i = 0; i < ENGINE_COUNT; i++) {
        assert_string_equal(engine_name((enum engine)i), engines[i]);
        assert_true(strlen(engine_column((enum engine)i)) > 0);
        assert_true(strlen(engine_words((enum engine)i)) > 0);
    }
    for (int i = 0; i < HOW_COUNT; i++)
        assert_string_equal(how_name((enum how)i), hows[i]);
}

static void test_reset_empties_and_keeps_memory(void **state)
{
    struct reading *reading = reading_new("drm");

    (void)state;
    reading->adapters = ARENA_ARRAY(reading->arena, struct adapter_reading, 8);
    reading->adapter_count = 8;
    reading->state = SOURCE_OK;
    size_t capacity = arena_capacity(reading->arena);

    reading_reset(reading, "nvml");
    assert_string_equal(reading->source, "nvml");
    assert_int_equal(reading->adapter_count, 0);
    assert_null(reading->adapters);
    assert_int_equal(reading->state, SOURCE_ABSENT);
    assert_int_equal(arena_capacity(reading->arena), capacity);
    reading_free(&reading);
    assert_null(reading);
    reading_free(&reading);

    struct system_reading *system = system_reading_new();

    system->process_count = 3;
    arena_alloc(system->arena, 100);
    system_reading_reset(system);
    assert_int_equal(system->process_count, 0);
    assert_non_null(system->arena);
    system_reading_free(&system);
    assert_null(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity_text),
        cmocka_unit_test(test_identity_malformed),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_reset_empties_and_keeps_memory),
    };

    return cmocka_run_group_tests_name("reading", tests, NULL, NULL);
}

/* The texts of event sources, as the kernel documents them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/drm/pmu.h"

static struct raw_text raw(const char *text)
{
    return raw_from_string(text);
}

static void test_fields(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int first, last; /* -1: refused */
    } cases[] = {
        {"config:0-11\n", 0, 11}, {"config:60-63", 60, 63},
        {"config:5", 5, 5},       {"config:0-63", 0, 63},
        {"config1:0-7", -1, -1},  {"config:12-3", -1, -1},
        {"config:0-64", -1, -1},  {"config:0-7,32", -1, -1},
        {"config:", -1, -1},      {"", -1, -1},
        {"config:-1", -1, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pmu_field field;
        bool parsed = pmu_parse_field(raw(cases[i].text), &field);
        assert_int_equal(parsed, cases[i].first >= 0);
        if (parsed) {
            assert_int_equal(field.first, cases[i].first);
            assert_int_equal(field.last, cases[i].last);
        }
    }
}

/* engine-active-ticks of the second copy engine on GT 1, by the layout of Linux 6.15. */
static void test_config(void **state)
{
    (void)state;
    uint64_t config = 0;
    assert_true(pmu_set_field((struct pmu_field){0, 11}, 0x02, &config));
    assert_true(pmu_set_field((struct pmu_field){12, 19}, 1, &config));
    assert_true(pmu_set_field((struct pmu_field){20, 27}, 1, &config));
    assert_true(pmu_set_field((struct pmu_field){60, 63}, 1, &config));
    assert_true(config == UINT64_C(0x1000000000101002));
    assert_false(pmu_set_field((struct pmu_field){60, 63}, 16, &config));
    assert_true(pmu_set_field((struct pmu_field){0, 63}, UINT64_MAX, &config));
}

static void test_terms(void **state)
{
    (void)state;
    uint64_t value;
    assert_true(pmu_parse_term(raw("config=0x100002\n"), "config", &value) && value == 0x100002);
    assert_true(pmu_parse_term(raw("event=0x02"), "event", &value) && value == 2);
    assert_true(pmu_parse_term(raw("gt=1,event=10"), "event", &value) && value == 10);
    assert_false(pmu_parse_term(raw("event=0x02"), "config", &value));
    assert_false(pmu_parse_term(raw("event="), "event", &value));
    assert_false(pmu_parse_term(raw("event=0xg"), "event", &value));
    assert_false(pmu_parse_term(raw(""), "event", &value));
}

static void test_scale(void **state)
{
    (void)state;
    double scale;
    assert_true(pmu_parse_scale(raw("2.3283064365386962890625e-10\n"), &scale));
    assert_true(scale > 2.3283064365e-10 && scale < 2.3283064366e-10);
    assert_true(pmu_parse_scale(raw("1.5"), &scale) && scale > 1.4999 && scale < 1.5001);
    assert_true(pmu_parse_scale(raw("3"), &scale) && scale > 2.999 && scale < 3.001);
    assert_false(pmu_parse_scale(raw("0"), &scale));
    assert_false(pmu_parse_scale(raw("-1"), &scale));
    assert_false(pmu_parse_scale(raw("1e400"), &scale));
    assert_false(pmu_parse_scale(raw("1e"), &scale));
    assert_false(pmu_parse_scale(raw("1 Joules"), &scale));
    assert_false(pmu_parse_scale(raw(""), &scale));
}

static void test_cpu(void **state)
{
    (void)state;
    assert_int_equal(pmu_parse_cpu(raw("0\n")), 0);
    assert_int_equal(pmu_parse_cpu(raw("18,36")), 18);
    assert_int_equal(pmu_parse_cpu(raw("4-7")), 4);
    assert_int_equal(pmu_parse_cpu(raw("")), 0);
    assert_int_equal(pmu_parse_cpu((struct raw_text){NULL, 0}), 0);
    assert_int_equal(pmu_parse_cpu(raw("99999999999")), 0);
}

static void test_busy_events(void **state)
{
    (void)state;
    char class_name[8];
    assert_true(pmu_parse_busy_event("rcs0-busy", class_name));
    assert_string_equal(class_name, "rcs");
    assert_true(pmu_parse_busy_event("vecs12-busy", class_name));
    assert_string_equal(class_name, "vecs");
    assert_false(pmu_parse_busy_event("rcs0-wait", class_name));
    assert_false(pmu_parse_busy_event("rcs-busy", class_name));
    assert_false(pmu_parse_busy_event("rcs0-busy.unit", class_name));
    assert_false(pmu_parse_busy_event("rc6-residency", class_name));
    assert_false(pmu_parse_busy_event("averylongclass0-busy", class_name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields), cmocka_unit_test(test_config),
        cmocka_unit_test(test_terms),  cmocka_unit_test(test_scale),
        cmocka_unit_test(test_cpu),    cmocka_unit_test(test_busy_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/units.h"

#define MIB (1024.0 * 1024)
#define GIB (1024.0 * MIB)

static void test_bytes(void **state)
{
    static const struct {
        double bytes;
        const char *text, *text_long;
    } cases[] = {
        {0, "0", "0"},
        {1, "<0.1 M", "<0.1 MiB"},
        {712 * MIB, "712.0 M", "712.0 MiB"},
        {999.9 * MIB, "999.9 M", "999.9 MiB"},
        {1000 * MIB, "1.0 G", "1.0 GiB"},
        {18 * GIB, "18.0 G", "18.0 GiB"},
        {18.04 * GIB, "18.0 G", "18.0 GiB"},
        {999.94 * GIB, "999.9 G", "999.9 GiB"},
        {1536 * GIB, "1536 G", "1536 GiB"},
        {-5, "0", "0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[UNITS_SIZE];
        units_bytes(cases[i].bytes, out);
        assert_string_equal(out, cases[i].text);
        units_bytes_long(cases[i].bytes, out);
        assert_string_equal(out, cases[i].text_long);
    }
}

static void test_bytes_of(void **state)
{
    static const struct {
        double bytes, total;
        const char *text;
    } cases[] = {
        {19.1 * GIB, 24 * GIB, "19.1 / 24.0 GiB"},
        {0, 24 * GIB, "0.0 / 24.0 GiB"},
        {1 * MIB, 24 * GIB, "<0.1 / 24.0 GiB"},
        {100 * MIB, 512 * MIB, "100.0 / 512.0 MiB"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[UNITS_SIZE];
        units_bytes_of(cases[i].bytes, cases[i].total, out);
        assert_string_equal(out, cases[i].text);
    }
}

static void test_numbers(void **state)
{
    char out[UNITS_SIZE];
    (void)state;
    units_percent(95.4, out);
    assert_string_equal(out, "95");
    units_percent(0.2, out);
    assert_string_equal(out, "<1");
    units_percent(0, out);
    assert_string_equal(out, "0");
    units_percent(-1, out);
    assert_string_equal(out, "0");
    units_percent(312.7, out);
    assert_string_equal(out, "313");
    units_watts(371.3, out);
    assert_string_equal(out, "371 W");
    units_watts(9.06, out);
    assert_string_equal(out, "9.1 W");
    units_watts(9.97, out);
    assert_string_equal(out, "10 W");
    units_celsius(64, false, out);
    assert_string_equal(out, "64 \u00b0C");
    units_celsius(64, true, out);
    assert_string_equal(out, "64 C");
    units_mhz(2640, out);
    assert_string_equal(out, "2640 MHz");
    units_count(11204, out);
    assert_string_equal(out, "11,204");
    units_count(-1234567, out);
    assert_string_equal(out, "-1,234,567");
    units_count(999, out);
    assert_string_equal(out, "999");
    units_count(INT64_MIN, out);
    assert_string_equal(out, "-9,223,372,036,854,775,808");
}

static void test_rates_and_durations(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rates[] = {{0, "0"},
                 {10, "<1 kB/s"},
                 {12000, "12 kB/s"},
                 {3.4e8, "340 MB/s"},
                 {999.6e6, "1.0 GB/s"},
                 {1.2e9, "1.2 GB/s"}},
      durations[] = {{0, "0 s"},          {0.4, "<1 s"},      {1, "1 s"},
                     {59.9, "59 s"},      {483, "8 min 3 s"}, {19321, "5 h 22 min"},
                     {273600, "3 d 4 h"}, {-3, "0 s"},        {1e300, "99999 d 0 h"}};
    (void)state;
    char out[UNITS_SIZE];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        units_rate(rates[i].value, out);
        assert_string_equal(out, rates[i].text);
    }
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        units_duration(durations[i].value, out);
        assert_string_equal(out, durations[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bytes_of),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_rates_and_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

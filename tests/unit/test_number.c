#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/lines.h"
#include "base/number.h"

static void test_u64(void **state)
{
    static const struct {
        const char *raw;
        bool whole, start; /* is a number as a whole; starts with one */
        uint64_t value;
        size_t used;
    } cases[] = {
        {"0", true, true, 0, 1},
        {"18446744073709551615", true, true, UINT64_MAX, 20},
        {"18446744073709551616", false, false, 0, 0},
        {"99999999999999999999", false, false, 0, 0},
        {"000000000000000000000000042", true, true, 42, 27},
        {" 42\n", true, false, 42, 0},
        {"42 KiB", false, true, 42, 2},
        {"42\t\r\n", true, true, 42, 2},
        {"-1", false, false, 0, 0},
        {"+1", false, false, 0, 0},
        {"", false, false, 0, 0},
        {"  ", false, false, 0, 0},
        {"x", false, false, 0, 0},
        {"4 2", false, true, 4, 1},
        {"\xD9\xA1", false, false, 0, 0}, /* an Arabic digit */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct raw_text raw = raw_from_string(cases[i].raw);
        uint64_t value = 77;
        size_t used = 0;

        assert_int_equal(number_parse_u64(raw, &value, NULL), cases[i].whole);
        assert_true(value == (cases[i].whole ? cases[i].value : 77));
        value = 77;
        assert_int_equal(number_parse_u64(raw, &value, &used), cases[i].start);
        assert_true(value == (cases[i].start ? cases[i].value : 77));
        if (cases[i].start)
            assert_int_equal(used, cases[i].used);
    }
}

static void test_i64(void **state)
{
    static const struct {
        const char *raw;
        bool whole;
        int64_t value;
    } cases[] = {
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"-0", true, 0},
        {"+5", true, 5},
        {"-5", true, -5},
        {"--5", false, 0},
        {"-", false, 0},
        {"- 5", false, 0},
        {"", false, 0},
        {"18446744073709551615", false, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 77;

        assert_int_equal(number_parse_i64(raw_from_string(cases[i].raw), &value, NULL),
                         cases[i].whole);
        assert_true(value == (cases[i].whole ? cases[i].value : 77));
    }
}

static void test_hex(void **state)
{
    static const struct {
        const char *raw;
        bool whole, start;
        uint64_t value;
        size_t used;
    } cases[] = {
        {"0x1002", true, true, 0x1002, 6},
        {"0XaBcD", true, true, 0xABCD, 6},
        {"ffffffffffffffff", true, true, UINT64_MAX, 16},
        {"10000000000000000", false, false, 0, 0},
        {"0x", false, true, 0, 1},
        {"0xg", false, true, 0, 1},
        {"7f12-7f34", false, true, 0x7f12, 4},
        {"", false, false, 0, 0},
        {"-1", false, false, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct raw_text raw = raw_from_string(cases[i].raw);
        uint64_t value = 77;
        size_t used = 0;

        assert_int_equal(number_parse_hex(raw, &value, NULL), cases[i].whole);
        assert_int_equal(number_parse_hex(raw, &value, &used), cases[i].start);
        if (cases[i].start) {
            assert_true(value == cases[i].value);
            assert_int_equal(used, cases[i].used);
        }
    }
}

static void test_checked_arithmetic(void **state)
{
    int64_t result = 0;

    (void)state;
    assert_true(number_add_i64(INT64_MAX - 1, 1, &result));
    assert_true(result == INT64_MAX);
    assert_false(number_add_i64(INT64_MAX, 1, &result));
    assert_false(number_add_i64(INT64_MIN, -1, &result));
    assert_true(number_multiply_i64(INT64_C(1) << 31, INT64_C(1) << 31, &result));
    assert_true(result == INT64_C(1) << 62);
    assert_false(number_multiply_i64(INT64_C(1) << 32, INT64_C(1) << 31, &result));
    assert_false(number_multiply_i64(INT64_MIN, -1, &result));
}

static void expect_pieces(bool (*next)(struct raw_text *rest, struct raw_text *piece),
                          struct raw_text rest, const char *const *expected)
{
    struct raw_text piece;

    for (; *expected; expected++) {
        assert_true(next(&rest, &piece));
        assert_true(raw_equal_string(piece, *expected));
    }
    assert_false(next(&rest, &piece));
    assert_false(next(&rest, &piece));
}

static bool comma_next(struct raw_text *rest, struct raw_text *field)
{
    return fields_next(rest, ',', field);
}

static void test_cutting(void **state)
{
    static const struct {
        bool (*next)(struct raw_text *rest, struct raw_text *piece);
        const char *raw;
        const char *pieces[6];
    } cases[] = {
        {lines_next, "", {NULL}},
        {lines_next, "a", {"a", NULL}},
        {lines_next, "a\n", {"a", NULL}},
        {lines_next, "a\r\nb\n\nc\r", {"a", "b", "", "c\r", NULL}},
        {lines_next, "\n\r\n", {"", "", NULL}},
        {comma_next, "", {"", NULL}},
        {comma_next, "a,b", {"a", "b", NULL}},
        {comma_next, "a,", {"a", "", NULL}},
        {comma_next, ",", {"", "", NULL}},
        {words_next, "  one\ttwo   three ", {"one", "two", "three", NULL}},
        {words_next, " \t ", {NULL}},
        {words_next, "", {NULL}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_pieces(cases[i].next, raw_from_string(cases[i].raw), cases[i].pieces);
    expect_pieces(comma_next, (struct raw_text){NULL, 0}, (const char *const[]){NULL});
    expect_pieces(lines_next, (struct raw_text){NULL, 0}, (const char *const[]){NULL});
}

static void test_trim_split_prefix(void **state)
{
    struct raw_text before, after;

    (void)state;
    assert_true(raw_equal_string(raw_trim(raw_from_string(" \t a b \r\n")), "a b"));
    assert_int_equal(raw_trim(raw_from_string(" \n ")).length, 0);
    assert_int_equal(raw_trim((struct raw_text){NULL, 0}).length, 0);
    assert_true(raw_split(raw_from_string("key:\tva:lue"), ':', &before, &after));
    assert_true(raw_equal_string(before, "key"));
    assert_true(raw_equal_string(after, "\tva:lue"));
    assert_false(raw_split(raw_from_string("key"), ':', &before, &after));
    assert_false(raw_split((struct raw_text){NULL, 0}, ':', &before, &after));
    assert_true(raw_starts_with(raw_from_string("drm-engine-gfx"), "drm-engine-"));
    assert_false(raw_starts_with(raw_from_string("drm"), "drm-"));
    assert_true(raw_starts_with((struct raw_text){NULL, 0}, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_u64),     cmocka_unit_test(test_i64),
        cmocka_unit_test(test_hex),     cmocka_unit_test(test_checked_arithmetic),
        cmocka_unit_test(test_cutting), cmocka_unit_test(test_trim_split_prefix),
    };

    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}

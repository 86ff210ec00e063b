/* Widths, cutting and cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/cell.h"
#include "view/phrase.h"
#include "view/text_width.h"
#include "view/truncate.h"

static struct text of(const char *string)
{
    return (struct text){string, strlen(string)};
}

static void test_width(void **state)
{
    static const struct {
        const char *text;
        size_t width, ascii_width;
    } cases[] = {
        {"", 0, 0},         {"abc", 3, 3},        {"\u6f22\u5b57", 4, 2}, /* wide */
        {"e\u0301", 1, 2},                                                /* combining */
        {"a\u202eb", 3, 3}, /* a bidi control is replaced: one cell */
        {"\x1b[31m", 5, 5}, {"\U0001f600", 2, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(text_width(of(cases[i].text), false), cases[i].width);
        assert_int_equal(text_width(of(cases[i].text), true), cases[i].ascii_width);
    }
}

static void test_truncate(void **state)
{
    static const struct {
        const char *text;
        size_t width;
        bool ascii;
        const char *expected;
    } cases[] = {
        {"llama-server", 12, false, "llama-server"},
        {"Qwen3-Coder-30B-A3B-Instruct-Q4_K_M", 16, false, "Qwen3-Cod\u2026Q4_K_M"},
        {"Qwen3-Coder-30B-A3B-Instruct-Q4_K_M", 16, true, "Qwen3-Cod..4_K_M"},
        {"abcdef", 3, false, "abc"},
        {"abcdef", 0, false, ""},
        {"\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 7, false, "\u6f22\u5b57\u2026\u5b57"},
        {"\u6f22\u5b57", 3, false, "\u6f22"},
        {"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 5, false,
         "e\u0301e\u0301e\u0301\u2026e\u0301"},
        {"", 5, false, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[128];
        size_t taken =
            truncate_text(of(cases[i].text), cases[i].width, cases[i].ascii, out, sizeof out);
        assert_string_equal(out, cases[i].expected);
        assert_int_equal(taken, text_width(of(out), cases[i].ascii));
        assert_true(taken <= cases[i].width);
    }
}

/* Whatever the text and the buffer: never more cells than asked, never half a character. */
static void test_truncate_never_overflows(void **state)
{
    static const char *const texts[] = {"\u6f22\u5b57 e\u0301 abc \U0001f600 def", "abcdefghijkl",
                                        "\u0301\u0301\u0301\u0301\u0301\u0301"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t width = 0; width < 20; width++)
            for (size_t size = 1; size < 40; size++) {
                char out[48];
                memset(out, 'x', sizeof out);
                size_t taken = truncate_text(of(texts[i]), width, false, out, size);
                assert_true(taken <= width);
                assert_true(strlen(out) < size);
                for (size_t at = 0; at < strlen(out);)
                    assert_int_not_equal(text_next(out, strlen(out), &at), 0xFFFD);
                for (size_t after = size; after < sizeof out; after++)
                    assert_int_equal(out[after], 'x');
            }
}

static void test_print(void **state)
{
    static const struct {
        const char *own;
        enum cell_mark mark;
        enum cell_align align;
        size_t width;
        const char *expected;
    } cases[] = {
        {"18.0 G", CELL_NONE, CELL_NUMBER, 9, "  18.0 G "},
        {"3.9 G", CELL_MATCHED, CELL_NUMBER, 9, "   3.9 G*"},
        {"5.0 G", CELL_GUESS, CELL_NUMBER, 9, "   5.0 G?"},
        {"1.0 G", CELL_ESTIMATED, CELL_NUMBER, 9, "   1.0 G~"},
        {"n/a", CELL_UNAVAILABLE, CELL_NUMBER, 9, "     n/a "},
        {"", CELL_BLANK, CELL_NUMBER, 9, "         "},
        {"4242", CELL_NONE, CELL_RIGHT, 7, "   4242"},
        {"ann", CELL_NONE, CELL_LEFT, 6, "ann   "},
        {"\u6f22\u5b57", CELL_NONE, CELL_LEFT, 6, "\u6f22\u5b57  "},
        {"\u6f22\u5b57", CELL_NONE, CELL_RIGHT, 6, "  \u6f22\u5b57"},
        {"abc", CELL_NONE, CELL_NUMBER, 1, " "},
        {"abc", CELL_NONE, CELL_NUMBER, 0, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cell cell = {.mark = cases[i].mark};
        char out[64];
        strcpy(cell.own, cases[i].own);
        cell_print(&cell, cases[i].align, cases[i].width, false, out, sizeof out);
        assert_string_equal(out, cases[i].expected);
        for (size_t size = 0; size < 12; size++) {
            char small[16];
            memset(small, 'x', sizeof small);
            cell_print(&cell, cases[i].align, cases[i].width, false, small, size);
            assert_int_equal(small[size], 'x');
        }
    }
}

static void test_phrase(void **state)
{
    char out[6];
    struct phrase phrase = phrase_start(out, sizeof out);
    (void)state;
    phrase_string(&phrase, "abc");
    phrase_string(&phrase, "\u6f22"); /* three bytes: no room */
    assert_string_equal(out, "abc");
    phrase_string(&phrase, "defg");
    assert_string_equal(out, "abcde");
    assert_int_equal(phrase.length, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_truncate),
        cmocka_unit_test(test_truncate_never_overflows),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_phrase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

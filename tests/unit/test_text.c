#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"

#define REPLACED "\xEF\xBF\xBD"

/* Well-formed sequences and their limits: Unicode 15, table 3-7; RFC 3629. Every byte that belongs
 * to none is replaced by itself. */
static void test_from_raw(void **state)
{
    static const struct {
        const char *raw;
        size_t length;
        const char *expected;
    } cases[] = {
        {"plain", 5, "plain"},
        {"", 0, ""},
        {"a\0b", 3, "a" REPLACED "b"},
        {"\xC2\x80", 2, "\xC2\x80"},
        {"\xDF\xBF", 2, "\xDF\xBF"},
        {"\xE0\xA0\x80", 3, "\xE0\xA0\x80"},
        {"\xED\x9F\xBF", 3, "\xED\x9F\xBF"},
        {"\xEE\x80\x80", 3, "\xEE\x80\x80"},
        {"\xF0\x90\x80\x80", 4, "\xF0\x90\x80\x80"},
        {"\xF4\x8F\xBF\xBF", 4, "\xF4\x8F\xBF\xBF"},
        {"\xC0\xAF", 2, REPLACED REPLACED},                           /* overlong '/' */
        {"\xC1\xBF", 2, REPLACED REPLACED},                           /* overlong */
        {"\xE0\x9F\xBF", 3, REPLACED REPLACED REPLACED},              /* overlong */
        {"\xF0\x8F\xBF\xBF", 4, REPLACED REPLACED REPLACED REPLACED}, /* overlong */
        {"\xED\xA0\x80", 3, REPLACED REPLACED REPLACED},              /* surrogate */
        {"\xF4\x90\x80\x80", 4, REPLACED REPLACED REPLACED REPLACED}, /* above U+10FFFF */
        {"\xF5\x80\x80\x80", 4, REPLACED REPLACED REPLACED REPLACED},
        {"\x80", 1, REPLACED},
        {"\xFF", 1, REPLACED},
        {"a\xE2\x82", 3, "a" REPLACED REPLACED}, /* cut off */
        {"\xE2\x82X", 3, REPLACED REPLACED "X"}, /* X is not swallowed */
        {"\xC3\xC3\xA4", 3, REPLACED "\xC3\xA4"},
    };
    struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* An exact copy, so that a sanitizer sees a read past the end. */
        char *exact = malloc(cases[i].length + 1);

        memcpy(exact, cases[i].raw, cases[i].length);
        char *shrunk = realloc(exact, cases[i].length ? cases[i].length : 1);
        struct text text = text_from_raw(arena, (struct raw_text){shrunk, cases[i].length});

        assert_string_equal(text.utf8, cases[i].expected);
        assert_int_equal(text.size, strlen(cases[i].expected));
        free(shrunk);
    }
    assert_true(text_is_none(text_from_raw(arena, (struct raw_text){NULL, 0})));
    arena_free(&arena);
}

static void test_limit_cuts_at_a_character(void **state)
{
    struct arena *arena = arena_new();
    size_t length = TEXT_LIMIT + 10;
    char *raw = malloc(length);

    (void)state;
    memset(raw, 'x', length);
    assert_int_equal(text_from_raw(arena, (struct raw_text){raw, TEXT_LIMIT}).size, TEXT_LIMIT);
    memcpy(raw + TEXT_LIMIT - 1, "\xE2\x82\xAC", 3);
    struct text cut = text_from_raw(arena, (struct raw_text){raw, length});

    assert_int_equal(cut.size, TEXT_LIMIT - 1);
    assert_int_equal(cut.utf8[cut.size], 0);
    memset(raw, 0xFF, length); /* each becomes three bytes */
    assert_int_equal(text_from_raw(arena, (struct raw_text){raw, length}).size, TEXT_LIMIT / 3 * 3);
    free(raw);
    arena_free(&arena);
}

static void test_encode_is_the_reverse_of_next(void **state)
{
    (void)state;
    for (uint32_t code_point = 0; code_point <= 0x110100; code_point++) {
        char encoded[4];
        size_t at = 0, length = text_encode(code_point, encoded);
        bool valid = code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF);

        assert_int_equal(text_next(encoded, length, &at), valid ? code_point : 0xFFFD);
        assert_int_equal(at, length);
    }
}

static void test_unsafe(void **state)
{
    static const uint32_t unsafe[] = {0,      0x07,   0x0A,   0x1B,    0x1F,    0x7F,
                                      0x80,   0x9B,   0x9F,   0x061C,  0x200E,  0x200F,
                                      0x2028, 0x2029, 0x202A, 0x202E,  0x2066,  0x2069,
                                      0xFEFF, 0xFFF9, 0xFFFB, 0xE0000, 0xE0041, 0xE007F};
    static const uint32_t safe[] = {0x20,   0x7E,   0xA0,    0x061B, 0x061D, 0x200D,
                                    0x2010, 0x2027, 0x202F,  0x2065, 0x206A, 0x4E2D,
                                    0xFFFC, 0xFFFD, 0x1F600, 0xE0080};

    (void)state;
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
        assert_true(text_is_unsafe(unsafe[i]));
    for (size_t i = 0; i < sizeof safe / sizeof safe[0]; i++)
        assert_false(text_is_unsafe(safe[i]));
}

static void test_out(void **state)
{
    static const struct {
        const char *utf8;
        bool ascii;
        const char *expected;
    } cases[] = {
        {"plain ~", false, "plain ~"},
        {"a\x1B[2Jb\n", false, "a" REPLACED "[2Jb" REPLACED},
        {"a\x1B[2Jb\n", true, "a?[2Jb?"},
        {"\xE2\x80\xAEtxt.exe", false, REPLACED "txt.exe"},
        {"gr\xC3\xB6\xC3\x9F", false, "gr\xC3\xB6\xC3\x9F"},
        {"gr\xC3\xB6\xC3\x9F", true, "gr??"},
        {"\xC2\x9B"
         "31m",
         false, REPLACED "31m"},
        /* woman, joiner, girl; a flag made emoji by a selector */
        {"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7", false, "\xF0\x9F\x91\xA9\xF0\x9F\x91\xA7"},
        {"\xF0\x9F\x8F\xB3\xEF\xB8\x8F!", false, "\xF0\x9F\x8F\xB3!"},
        {"\xE2\x80\x8D", true, "?"},
        /* three marks over one letter, one over the next */
        {"e\xCC\x81\xCC\x81\xCC\x81o\xCC\x81", false, "e\xCC\x81\xCC\x81o\xCC\x81"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *file = tmpfile();
        char written[128] = {0};

        text_out(file, (struct text){cases[i].utf8, strlen(cases[i].utf8)}, cases[i].ascii);
        text_out(file, TEXT_NONE, false);
        rewind(file);
        assert_int_equal(fread(written, 1, sizeof written - 1, file), strlen(cases[i].expected));
        assert_string_equal(written, cases[i].expected);
        fclose(file);
    }
}

static void test_format(void **state)
{
    struct arena *arena = arena_new();
    char longer[3000];

    (void)state;
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_string_equal(text_format(arena, "%d of %s", 3, "four").utf8, "3 of four");
    assert_string_equal(text_format(arena, "%s", "\xFF").utf8, REPLACED);
    struct text whole = text_format(arena, "<%s>", longer);

    assert_int_equal(whole.size, sizeof longer - 1 + 2);
    assert_int_equal(whole.utf8[whole.size - 1], '>');
    arena_free(&arena);
}

static void test_compare(void **state)
{
    struct text a = TEXT("a"), ab = TEXT("ab"), b = TEXT("b"), empty = TEXT("");

    (void)state;
    assert_true(text_equal(a, TEXT("a")));
    assert_false(text_equal(a, ab));
    assert_false(text_equal(empty, TEXT_NONE));
    assert_true(text_equal(TEXT_NONE, TEXT_NONE));
    assert_true(text_equal_string(empty, ""));
    assert_false(text_equal_string(TEXT_NONE, ""));
    assert_int_equal(text_compare(a, ab), -1);
    assert_int_equal(text_compare(b, ab), 1);
    assert_int_equal(text_compare(a, a), 0);
    assert_int_equal(text_compare(TEXT_NONE, empty), -1);
    assert_int_equal(text_compare(empty, TEXT_NONE), 1);
    assert_int_equal(text_compare(TEXT("\x7F"), TEXT("\xC3\xA4")), -1); /* bytes are unsigned */
    assert_true(raw_equal_string((struct raw_text){"comm", 4}, "comm"));
    assert_false(raw_equal_string((struct raw_text){"comm", 3}, "comm"));
}

static void test_contains_folded(void **state)
{
    static const struct {
        const char *haystack, *needle;
        bool found;
    } cases[] = {
        {"llama-Server", "LAMA", true},     {"llama", "", true}, {"", "", true},
        {"llama", "llamas", false},         {"aab", "ab", true}, {"x@", "X`", false},
        {"gr\xC3\xB6n", "\xC3\xB6N", true}, {"abc", "C", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            text_contains_folded((struct text){cases[i].haystack, strlen(cases[i].haystack)},
                                 (struct text){cases[i].needle, strlen(cases[i].needle)}),
            cases[i].found);
    assert_false(text_contains_folded(TEXT_NONE, TEXT("a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_raw),
        cmocka_unit_test(test_limit_cuts_at_a_character),
        cmocka_unit_test(test_encode_is_the_reverse_of_next),
        cmocka_unit_test(test_unsafe),
        cmocka_unit_test(test_out),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_contains_folded),
    };

    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}

/* What Windows hands over that is not its console's: command lines, names of ptys, and the cells of
 * a console without VT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/windows/command_line.h"
#include "os/windows/pty_name.h"
#include "screen/console_cells.h"

static void test_command_line(void **state)
{
    /* As CommandLineToArgvW documents them. */
    static const struct {
        const char *line, *words[5];
    } cases[] = {
        {"gtm", {"gtm"}},
        {"gtm --once  -p 4", {"gtm", "--once", "-p", "4"}},
        {"\"C:\\Program Files\\gtm.exe\" x", {"C:\\Program Files\\gtm.exe", "x"}},
        {"\"C:\\dir\\\" x", {"C:\\dir\\", "x"}}, /* no backslash counts in the first */
        {"gtm \"a b\" c", {"gtm", "a b", "c"}},
        {"gtm a\"b c\"d", {"gtm", "ab cd"}},
        {"gtm a\\b\\\\c", {"gtm", "a\\b\\\\c"}},
        {"gtm a\\\\\\\"b", {"gtm", "a\\\"b"}},
        {"gtm \"a\\\\\" c", {"gtm", "a\\", "c"}},
        {"gtm \"a\\\" c", {"gtm", "a\" c"}},
        {"gtm \"a\"\"b\" c", {"gtm", "a\"b", "c"}},
        {"gtm \"\" x", {"gtm", "", "x"}},
        {"gtm \t x ", {"gtm", "x"}},
        {"", {""}},
        {"gtm na\xC3\xAFve", {"gtm", "na\xC3\xAFve"}},
        {"gtm a\\", {"gtm", "a\\"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *words[5] = {NULL};
        char *room =
            malloc(strlen(cases[i].line) + 2); /* of exactly this size, for the sanitizer */
        assert_non_null(room);
        size_t count = command_line_split(cases[i].line, room, words, 5), wanted = 0;
        while (wanted < 5 && cases[i].words[wanted] != NULL)
            wanted++;
        assert_int_equal(count, wanted);
        for (size_t j = 0; j < wanted; j++)
            assert_string_equal(words[j], cases[i].words[j]);
        assert_int_equal(command_line_split(cases[i].line, room, NULL, 0), wanted);
        free(room);
    }
}

static void test_pty_names(void **state)
{
    (void)state;
    assert_string_equal(pty_family("\\msys-1888ae32e00d56aa-pty0-from-master"), "MSYS2");
    assert_string_equal(pty_family("\\cygwin-e022582115c10879-pty12-to-master"), "Cygwin");
    assert_null(pty_family("\\msys-1888ae32e00d56aa-pipe-0x5"));
    assert_null(pty_family("\\msys-1888ae32e00d56aa-pty"));
    assert_null(pty_family("\\Win32Pipes.00000f3c.00000003"));
    assert_null(pty_family(""));
}

static void test_console_cells(void **state)
{
    static const struct {
        struct screen_cell cell;
        enum color_depth depth;
        uint16_t own;
        struct console_cell wanted;
    } cases[] = {
        {{.points = {'a'}, .width = 1}, DEPTH_16, 0x07, {'a', 0x07}},
        {{.points = {'a'}, .width = 1, .style = STYLE_TITLE}, DEPTH_MONO, 0x07, {'a', 0x0F}},
        {{.points = {'a'}, .width = 1, .style = STYLE_DIM}, DEPTH_16, 0x07, {'a', 0x08}},
        {{.points = {'a'}, .width = 1, .style = STYLE_TROUBLE}, DEPTH_16, 0x07, {'a', 0x0C}},
        /* ANSI 6 is cyan: green and blue. */
        {{.points = {0x2588}, .width = 1, .style = STYLE_MODEL}, DEPTH_16, 0x07, {0x2588, 0x03}},
        {{.points = {0x258C}, .width = 1, .style = STYLE_MODEL, .under = STYLE_GAME},
         DEPTH_16,
         0x07,
         {0x258C, 0x23}},
        {{.points = {'a'}, .width = 1, .selected = 1}, DEPTH_16, 0x07, {'a', 0x70}},
        {{.points = {'a'}, .width = 1, .selected = 1}, DEPTH_MONO, 0x1E, {'a', 0xE1}},
        {{.points = {'a'}, .width = 1}, DEPTH_16, 0xF0, {'a', 0xF0}}, /* black on white stays so */
        /* Never a colour on itself. */
        {{.points = {'a'}, .width = 1, .style = STYLE_MODEL}, DEPTH_16, 0x30, {'a', 0x3B}},
        {{.points = {0x6F22}, .width = 2}, DEPTH_16, 0x07, {0x6F22, 0x107}},
        {{.points = {0}, .width = 0}, DEPTH_16, 0x07, {' ', 0x207}},
        {{.points = {0x1F600}, .width = 2}, DEPTH_16, 0x07, {0xFFFD, 0x107}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct console_cell cell = console_cell_of(&cases[i].cell, cases[i].depth, 0, cases[i].own);
        assert_int_equal(cell.unit, cases[i].wanted.unit);
        assert_int_equal(cell.attributes, cases[i].wanted.attributes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_line),
        cmocka_unit_test(test_pty_names),
        cmocka_unit_test(test_console_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

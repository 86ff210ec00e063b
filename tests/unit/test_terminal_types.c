#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "screen/terminal_types.h"

static const struct {
    const char *term, *first, *last;
} cases[] = {
    {"xterm-ghostty", "xterm-256color", "vt100"},
    {"foot", "xterm-256color", "vt100"},
    {"no-such-terminal", "xterm-256color", "vt100"},
    {"tmux-direct", "screen-256color", "vt100"},
    {"screen.xterm-kitty", "screen-256color", "vt100"},
    {"linux-16color", "linux", "vt100"},
    {"vt220-w", "vt100", "vt100"},
    {"dumb", NULL, NULL},
    {"unknown", NULL, NULL},
    {"", NULL, NULL},
    {NULL, NULL, NULL},
};

static void test_stand_ins(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *first = terminal_type_stand_in(cases[i].term, 0), *last = first;
        for (size_t n = 1; last && terminal_type_stand_in(cases[i].term, n); n++) {
            last = terminal_type_stand_in(cases[i].term, n);
        }
        if (cases[i].first) {
            assert_string_equal(first, cases[i].first);
            assert_string_equal(last, cases[i].last);
        } else {
            assert_null(first);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stand_ins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

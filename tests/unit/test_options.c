/* The command line: what is accepted, what is refused and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "settings/options.h"

enum { WORDS_MAX = 8 };

struct parse_case {
    const char *words[WORDS_MAX]; /* NULL-terminated */
    unsigned commands;
    bool valid;
    const char *problem; /* part of it */
};

static bool parse(const char *const *words, unsigned commands, struct options *options,
                  struct problem *problem, char **argv)
{
    int argc = 1;
    argv[0] = "gputaskman";
    for (; words[argc - 1]; argc++) {
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
    }
    return options_parse(options, argc, argv, 1, commands, problem);
}

static void test_acceptance(void **state)
{
    (void)state;
    static const struct parse_case cases[] = {
        {{"--json"}, FOR_PLAIN, true, NULL},
        {{"-i", "0.1"}, FOR_PLAIN, true, NULL},
        {{"-i3600"}, FOR_PLAIN, true, NULL},
        {{"--interval=2.5"}, FOR_PLAIN, true, NULL},
        {{"--int", "2"}, FOR_PLAIN, true, NULL},
        {{"--interval", "0.09"}, FOR_PLAIN, false, "from 0.1 to 3600"},
        {{"--interval", "3601"}, FOR_PLAIN, false, "3601"},
        {{"--interval", "-1"}, FOR_PLAIN, false, "-1"},
        {{"--interval", "1e3"}, FOR_PLAIN, false, "1e3"},
        {{"--interval", "nan"}, FOR_PLAIN, false, "nan"},
        {{"--interval", "1.2.3"}, FOR_PLAIN, false, "1.2.3"},
        {{"--interval", ""}, FOR_PLAIN, false, "SECONDS"},
        {{"--interval"}, FOR_PLAIN, false, "needs SECONDS"},
        {{"-i"}, FOR_PLAIN, false, "needs SECONDS"},
        {{"--once=1"}, FOR_PLAIN, false, "no argument"},
        {{"--no"}, FOR_PLAIN, false, "several"},
        {{"--no-host"}, FOR_PLAIN, true, NULL}, /* exact, although --no-host-name begins with it */
        {{"--bogus"}, FOR_PLAIN, false, "--help"},
        {{"-x"}, FOR_PLAIN, false, "--help"},
        {{"--"}, FOR_PLAIN, true, NULL},
        {{"--=x"}, FOR_PLAIN, false, "--help"},
        {{"--count", "3"}, FOR_PLAIN, false, "--help"},
        {{"--count", "3"}, FOR_RECORD, true, NULL},
        {{"--count", "0"}, FOR_RECORD, false, "0"},
        {{"--count", "99999999999999999999999"}, FOR_RECORD, false, "N"},
        {{"--for", "90"}, FOR_RECORD, true, NULL},
        {{"--for", "15m"}, FOR_RECORD, true, NULL},
        {{"--for", "m"}, FOR_RECORD, false, "TIME from 0.1 to 1000000000, not 'm'"},
        {{"--for", "15w"}, FOR_RECORD, false, "15w"},
        {{"--json"}, FOR_RECORD, false, "--help"},
        {{"--helper", "nvml"}, FOR_PLAIN, true, NULL},
        {{"--theme", "dark"}, FOR_PLAIN, true, NULL},
        {{"--theme", "mono"}, FOR_PLAIN, true, NULL},
        {{"--theme", "darker"}, FOR_PLAIN, false, "auto|dark|light|mono"},
        {{"--theme", "dark|light"}, FOR_PLAIN, false, "auto|dark|light|mono"},
        {{"--theme", ""}, FOR_PLAIN, false, "auto|dark|light|mono"},
        {{"--gpu", ""}, FOR_PLAIN, false, "needs SELECTOR, not ''"},
        {{"--output="}, FOR_RECORD, false, "needs FILE, not ''"},
        {{"--help", "word"}, FOR_PLAIN, true, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct options options;
        struct problem problem = {""};
        char *argv[WORDS_MAX + 1];
        bool valid = parse(cases[i].words, cases[i].commands, &options, &problem, argv);
        if (valid != cases[i].valid) {
            fail_msg("case %zu (%s): valid %d, %s", i, cases[i].words[0], valid, problem.text);
        }
        if (cases[i].problem) {
            assert_non_null(strstr(problem.text, cases[i].problem));
        }
    }
}

static void test_values(void **state)
{
    (void)state;
    static const char *const words[] = {"one", "-g", "0",  "--gpu=card", "--for",
                                        "2h",  "--", "-x", NULL};
    struct options options;
    struct problem problem = {""};
    char *argv[WORDS_MAX + 1];
    assert_true(parse(words, FOR_RECORD, &options, &problem, argv));
    assert_int_equal(options.values[OPTION_gpu].list_count, 2);
    assert_string_equal(options.values[OPTION_gpu].list[1], "card");
    assert_true(options.values[OPTION_for_time].number == 7200);
    assert_int_equal(options.word_count, 2);
    assert_string_equal(options.words[0], "one");
    assert_string_equal(options.words[1], "-x");
    assert_false(options_flag(&options, OPTION_all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acceptance),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

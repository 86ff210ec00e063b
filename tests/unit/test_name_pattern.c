/* Patterns over tensor names as std::regex (ECMAScript) with regex_search() finds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/name_pattern.h"

static const struct {
    const char *pattern, *name;
    bool found;
} rows[] = {
    {"\\.ffn_.*_exps\\.", "blk.3.ffn_up_exps.weight", true},
    {"\\.ffn_.*_exps\\.", "blk.3.ffn_up.weight", false},
    {"ffn", "blk.3.ffn_up.weight", true}, /* searched, not matched from the start */
    {"^ffn", "blk.3.ffn_up.weight", false},
    {"^blk", "blk.3.ffn_up.weight", true},
    {"weight$", "blk.3.ffn_up.weight", true},
    {"up$", "blk.3.ffn_up.weight", false},
    {"blk\\.(1|2[0-9]|3)\\.", "blk.3.ffn", true},
    {"blk\\.(1|2[0-9]|3)\\.", "blk.25.ffn", true},
    {"blk\\.(1|2[0-9]|3)\\.", "blk.2.ffn", false},
    {"blk\\.(?:[0-9]|1[0-5])\\.attn", "blk.15.attn_q", true},
    {"blk\\.(?:[0-9]|1[0-5])\\.attn", "blk.16.attn_q", false},
    {"\\d{2}", "blk.7.", false},
    {"\\d{2}", "blk.17.", true},
    {"^a{2,3}$", "a", false},
    {"^a{2,3}$", "aa", true},
    {"^a{2,3}$", "aaa", true},
    {"^a{2,3}$", "aaaa", false},
    {"^a{2,}$", "aaaaaa", true},
    {"^a{0}b$", "b", true},
    {"^(ab)+c?$", "ababc", true},
    {"^(ab)+c?$", "abac", false},
    {"^[^.]+\\.[^.]+$", "output.weight", true},
    {"^[^.]+\\.[^.]+$", "blk.0.weight", false},
    {"[a-c-]x", "-x", true},
    {"[\\d_]x", "_x", true},
    {"\\w\\W", "a.", true},
    {"\\S\\s", "a.", false},
    {"", "anything", true},
    {"a|", "b", true},
    {"exps=", "exps", false},
    {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false}, /* no blow-up */
    {"ffn_(up|down|gate|gate_up)_(ch|)exps", "blk.0.ffn_gate_up_chexps.weight", true},
    {".*?norm", "output_norm.weight", true},
};

static void names_are_found(void **state)
{
    (void)state;
    struct name_pattern *pattern = malloc(sizeof *pattern);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(name_pattern_compile(pattern, raw_from_string(rows[i].pattern)));
        if (name_pattern_finds(pattern, rows[i].name) != rows[i].found) {
            fail_msg("'%s' in '%s'", rows[i].pattern, rows[i].name);
        }
    }
    free(pattern);
}

static void what_is_no_pattern_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "(",   ")",     "a)",    "[",    "[z-a]",  "*a",
        "a**", "+",     "a{",    "a{x}", "a{3,2}", "a{999}",
        "\\",  "(?=a)", "(?!a)", "[\\",  "a{300}", "((((((((((((((((((((((((((((((((((((((((a"};
    struct name_pattern *pattern = malloc(sizeof *pattern);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (name_pattern_compile(pattern, raw_from_string(bad[i]))) {
            fail_msg("'%s'", bad[i]);
        }
    }
    free(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(what_is_no_pattern_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

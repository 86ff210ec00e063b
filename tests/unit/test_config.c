/* The config file: forgiving reading, merging that loses nothing, saving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "settings/config.h"

static void parse(struct config *config, const char *bytes)
{
    memset(config, 0, sizeof *config);
    config_parse(config, raw_from_string(bytes));
}

static void test_values(void **state)
{
    (void)state;
    struct config config;
    parse(&config, "# a comment\n\n theme=light\r\ninterval = 2.5\nsort = spill\n"
                   "columns = pid, name  vram\nreverse = yes\nreverse = no\n");
    assert_int_equal(config.problem_count, 0);
    assert_string_equal(config_text(&config, SETTING_theme), "light");
    assert_true(config_seconds(&config, SETTING_interval) == 2.5);
    assert_string_equal(config_text(&config, SETTING_sort), "spill");
    assert_string_equal(config_text(&config, SETTING_reverse), "no");
    assert_string_equal(config_text(&config, SETTING_tree), "no");
    const char *rest = config_text(&config, SETTING_columns);
    char word[16];
    assert_true(config_word(&rest, word, sizeof word));
    assert_string_equal(word, "pid");
    assert_true(config_word(&rest, word, sizeof word));
    assert_string_equal(word, "name");
    assert_true(config_word(&rest, word, sizeof word));
    assert_string_equal(word, "vram");
    assert_false(config_word(&rest, word, sizeof word));
}

/* What is wrong, and what it leaves: the default, or the good value before. */
static void test_problems(void **state)
{
    static const struct {
        const char *bytes, *problem;
        enum setting setting;
        const char *left;
    } cases[] = {
        {"theme = purple\n", "config:1: theme: 'purple' is none of: auto|dark|light|mono",
         SETTING_theme, "auto"},
        {"theme = light\ntheme =\n", "config:2: theme: '' is none of: auto|dark|light|mono",
         SETTING_theme, "light"},
        {"\n\ninterval = 0\n", "config:3: interval: '0' is none of: seconds, 0.1 to 3600",
         SETTING_interval, "1"},
        {"interval = -1\n", "config:1: interval: '-1' is none of: seconds, 0.1 to 3600",
         SETTING_interval, "1"},
        {"interval = 1e3\n", "config:1: interval: '1e3' is none of: seconds, 0.1 to 3600",
         SETTING_interval, "1"},
        {"colour = red\n", "config:1: there is no setting 'colour'; it is left alone",
         SETTING_theme, "auto"},
        {"theme light\n", "config:1: not understood: write NAME = VALUE", SETTING_theme, "auto"},
        {"sort = a b\n", "config:1: sort: 'a b' is none of: the name of a column", SETTING_sort,
         "vram"},
        {"theme = \033[31m\n", "config:1: theme: '?[31m' is none of: auto|dark|light|mono",
         SETTING_theme, "auto"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config config;
        parse(&config, cases[i].bytes);
        assert_int_equal(config.problem_count, 1);
        assert_string_equal(config.problems[0].text, cases[i].problem);
        assert_string_equal(config_text(&config, cases[i].setting), cases[i].left);
    }
}

/* Only the first problems are kept, and an endless value does no harm. */
static void test_many(void **state)
{
    (void)state;
    char bytes[4096];
    memset(bytes, 'x', sizeof bytes - 1);
    bytes[sizeof bytes - 1] = '\0';
    memcpy(bytes, "columns=", 8);
    struct config config;
    parse(&config, bytes);
    assert_int_equal(config.problem_count, 1);
    for (size_t i = 0; i + 2 < sizeof bytes; i += 2)
        memcpy(bytes + i, "y\n", 2);
    parse(&config, bytes);
    assert_true(config.problem_count > CONFIG_PROBLEMS_MAX);
}

static void test_merge(void **state)
{
    static const char before[] = "# mine\ntheme = dark\nunknown = 1\nsort = nonsense x\n"
                                 "theme = light\nno newline";
    (void)state;
    struct config config;
    parse(&config, before);
    assert_false(config_set(&config, SETTING_theme, "purple"));
    assert_true(config_set(&config, SETTING_theme, "mono"));
    assert_true(config_set(&config, SETTING_interval, "5"));
    assert_true(config_set(&config, SETTING_tree, "no")); /* as it is: not written */
    size_t size = 0;
    char *merged = config_merge(&config, raw_from_string(before), &size);
    static const char wanted[] = "# mine\ntheme = mono\nunknown = 1\nsort = nonsense x\n"
                                 "no newline\ninterval = 5\n";
    assert_int_equal(size, sizeof wanted - 1);
    assert_memory_equal(merged, wanted, size);
    free(merged);
}

static void test_save(void **state)
{
    (void)state;
    char folder[] = "/tmp/config-XXXXXX", path[128], deep[160];
    assert_non_null(mkdtemp(folder));
    snprintf(deep, sizeof deep, "%s/a/b/config", folder);
    struct config config;
    struct problem problem = {""};
    config_load(&config, deep);
    assert_int_equal(config.problem_count, 0);
    assert_true(config_save(&config, &problem)); /* nothing to say: no file */
    assert_false(file_exists(deep));
    assert_true(config_set(&config, SETTING_sort, "spill"));
    assert_true(config_save(&config, &problem));
    config_load(&config, deep);
    assert_string_equal(config_text(&config, SETTING_sort), "spill");
    /* Another instance wrote meanwhile: both survive. */
    struct config other;
    config_load(&other, deep);
    assert_true(config_set(&other, SETTING_theme, "light"));
    assert_true(config_save(&other, &problem));
    assert_true(config_set(&config, SETTING_interval, "3"));
    assert_true(config_save(&config, &problem));
    config_load(&config, deep);
    assert_string_equal(config_text(&config, SETTING_theme), "light");
    assert_string_equal(config_text(&config, SETTING_interval), "3");
    unlink(deep);
    snprintf(path, sizeof path, "%s/a/b", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", folder);
    rmdir(path);
    rmdir(folder);
}

/* A folder under the name, no place at all: said, and nothing is lost. */
static void test_no_place(void **state)
{
    (void)state;
    struct config config;
    struct problem problem = {""};
    config_load(&config, "");
    assert_true(config_set(&config, SETTING_sort, "spill"));
    assert_false(config_save(&config, &problem));
    assert_non_null(strstr(problem.text, "XDG_CONFIG_HOME"));
    config_load(&config, "/dev/null/config");
    assert_true(config_set(&config, SETTING_sort, "spill"));
    assert_false(config_save(&config, &problem));
    config_load(&config, "/tmp");
    assert_int_equal(config.problem_count, 1);
    assert_true(config_set(&config, SETTING_sort, "spill"));
    assert_false(config_save(&config, &problem));
}

static void test_find(void **state)
{
    static const struct {
        const char *xdg, *home, *wanted;
    } cases[] = {
        {"/x", "/h", "/x/gputaskman/config"},
        {"", "/h", "/h/.config/gputaskman/config"},
        {"relative", "/h", "/h/.config/gputaskman/config"},
        {NULL, "/h", "/h/.config/gputaskman/config"},
        {NULL, "", ""},
        {NULL, NULL, ""},
    };
    (void)state;
    unsetenv("APPDATA");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[CONFIG_PATH_SIZE];
        if (cases[i].xdg != NULL)
            setenv("XDG_CONFIG_HOME", cases[i].xdg, 1);
        else
            unsetenv("XDG_CONFIG_HOME");
        if (cases[i].home != NULL)
            setenv("HOME", cases[i].home, 1);
        else
            unsetenv("HOME");
        config_find(path);
        assert_string_equal(path, cases[i].wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_problems),
        cmocka_unit_test(test_many),   cmocka_unit_test(test_merge),
        cmocka_unit_test(test_save),   cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

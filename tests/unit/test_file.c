#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

struct place {
    char folder[64];
    char path[128];
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    strcpy(place->folder, "/tmp/test_file-XXXXXX");
    if (!mkdtemp(place->folder))
        return -1;
    snprintf(place->path, sizeof place->path, "%s/file", place->folder);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    char link[128];

    snprintf(link, sizeof link, "%s/link", place->folder);
    unlink(link);
    unlink(place->path);
    int left = rmdir(place->folder); /* fails when a temporary file was left behind */

    free(place);
    return left;
}

static void expect_content(const char *path, const char *expected)
{
    char *bytes = NULL;
    size_t size = 0;
    struct problem problem = {""};

    assert_true(file_read_all(path, 100, &bytes, &size, &problem));
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
    assert_string_equal(problem.text, "");
    free(bytes);
}

static void test_write_replaces(void **state)
{
    const struct place *place = *state;
    struct stat status;

    assert_true(file_write_atomically(place->path, raw_from_string("one"), NULL));
    expect_content(place->path, "one");
    chmod(place->path, 0640);
    stat(place->path, &status);
    ino_t first = status.st_ino;

    assert_true(file_write_atomically(place->path, raw_from_string("two, longer"), NULL));
    expect_content(place->path, "two, longer");
    stat(place->path, &status);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_not_equal(status.st_ino, first); /* renamed over, not written into */
    assert_true(file_write_atomically(place->path, (struct raw_text){NULL, 0}, NULL));
    expect_content(place->path, "");
}

static void test_link_stays_a_link(void **state)
{
    const struct place *place = *state;
    char link[128];
    struct stat status;

    snprintf(link, sizeof link, "%s/link", place->folder);
    assert_true(file_write_atomically(place->path, raw_from_string("old"), NULL));
    assert_int_equal(symlink("file", link), 0);
    assert_true(file_write_atomically(link, raw_from_string("new"), NULL));
    lstat(link, &status);
    assert_true(S_ISLNK(status.st_mode));
    expect_content(place->path, "new");
}

/* A file of our own: for us alone whatever the umask says, and a link in its place leads nowhere.
 */
static void test_private_file(void **state)
{
    const struct place *place = *state;
    char link[128], *bytes = NULL;
    size_t size = 0;
    struct stat status;
    struct problem problem = {""};
    mode_t before = umask(0);

    assert_true(file_write_private(place->path, raw_from_string("kept"), NULL));
    stat(place->path, &status);
    assert_int_equal(status.st_mode & 0777, 0600);
    chmod(place->path, 0666);
    assert_true(file_write_private(place->path, raw_from_string("kept again"), NULL));
    stat(place->path, &status);
    assert_int_equal(status.st_mode & 0777, 0600);
    umask(before);
    assert_true(file_read_private(place->path, 100, &bytes, &size, NULL));
    assert_int_equal(size, strlen("kept again"));
    free(bytes);

    snprintf(link, sizeof link, "%s/link", place->folder);
    assert_int_equal(symlink("file", link), 0);
    assert_false(file_read_private(link, 100, &bytes, &size, &problem));
    assert_true(file_write_private(link, raw_from_string("new"), NULL));
    lstat(link, &status);
    assert_true(S_ISREG(status.st_mode));
    expect_content(place->path, "kept again");

    unlink(link);
    assert_int_equal(mkfifo(link, 0600), 0);
    assert_false(file_read_private(link, 100, &bytes, &size, &problem)); /* without waiting */
    assert_false(file_read_private(place->folder, 100, &bytes, &size, &problem));
    assert_false(file_read_private("/dev/zero", 100, &bytes, &size, &problem));
}

/* A full disk: what was there stays as it was, and nothing is left beside it (remove_place() sees
 * it). */
static void test_failed_write_changes_nothing(void **state)
{
    const struct place *place = *state;
    struct rlimit limit, small;
    struct problem problem = {""};

    assert_true(file_write_atomically(place->path, raw_from_string("old"), NULL));
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 4;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool written = file_write_atomically(place->path, raw_from_string("new and longer"), &problem);

    setrlimit(RLIMIT_FSIZE, &limit);
    assert_false(written);
    assert_non_null(strstr(problem.text, "File too large"));
    expect_content(place->path, "old");
}

static void test_limit(void **state)
{
    const struct place *place = *state;
    char *bytes = NULL;
    size_t size = 0;
    struct problem problem = {""};

    file_write_atomically(place->path, raw_from_string("12345"), NULL);
    assert_true(file_read_all(place->path, 5, &bytes, &size, &problem));
    assert_int_equal(size, 5);
    free(bytes);
    assert_false(file_read_all(place->path, 4, &bytes, &size, &problem));
    assert_non_null(strstr(problem.text, "larger than 4 bytes"));
    /* Endless, and of size 0 by its own word. */
    assert_false(file_read_all("/dev/zero", 1000000, &bytes, &size, &problem));
    assert_non_null(strstr(problem.text, "larger than 1000000 bytes"));
}

static void test_failures_say_why(void **state)
{
    const struct place *place = *state;
    char *bytes = NULL, path[160];
    size_t size = 0;
    struct problem problem = {""};

    assert_false(file_read_all(place->path, 10, &bytes, &size, &problem));
    assert_non_null(strstr(problem.text, "No such file"));
    assert_false(file_read_all(place->folder, 10, &bytes, &size, &problem));
    assert_non_null(strstr(problem.text, "directory"));
    snprintf(path, sizeof path, "%s/absent/file", place->folder);
    assert_false(file_write_atomically(path, raw_from_string("x"), &problem));
    assert_non_null(strstr(problem.text, "No such file"));
    assert_false(file_write_atomically("/dev/full", raw_from_string("x"), &problem));
    assert_non_null(strstr(problem.text, "No space left"));
    assert_true(file_write_atomically("/dev/null", raw_from_string("x"), &problem));
}

static void test_problem_is_one_safe_line(void **state)
{
    struct problem problem = {""};
    char longer[PROBLEM_SIZE + 50];

    (void)state;
    assert_false(problem_set(NULL, "nothing"));
    assert_false(problem_set(&problem, "a\nb\x1B[1m \xC2\x9B \xE2\x80\xAE \xFF %s", "\xC3\xA4"));
    assert_string_equal(problem.text, "a?b?[1m ? ? ? \xC3\xA4");
    problem_set(&problem, "again: %s", problem.text);
    assert_string_equal(problem.text, "again: a?b?[1m ? ? ? \xC3\xA4");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    memcpy(longer + PROBLEM_SIZE - 2, "\xC3\xA4", 2); /* the limit cuts it in two */
    problem_set(&problem, "%s", longer);
    assert_int_equal(strlen(problem.text), PROBLEM_SIZE - 1);
    assert_int_equal(problem.text[PROBLEM_SIZE - 2], '?');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write_replaces, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_link_stays_a_link, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_private_file, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_failed_write_changes_nothing, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(test_limit, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_failures_say_why, make_place, remove_place),
        cmocka_unit_test(test_problem_is_one_safe_line),
    };

    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}

/* Files kept open between reads, on real ones: a file that changes in place, one of another tree,
 * one that comes and goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/kept_file.h"
#include "tree.h"

struct read {
    char text[64];
    size_t length;
    int error;
    bool lost;
    enum root_result result;
};

static struct read read_kept(struct kept_file *file, const struct root *root, const char *path,
                             size_t size)
{
    struct read got = {.error = 77};
    got.result =
        kept_file_read(file, root, path, got.text, size, &got.length, &got.error, &got.lost);
    return got;
}

/* Writes into the same file, as the kernel gives new text under the same descriptor. */
static void overwrite(const char *top, const char *path, const char *text)
{
    char full[TREE_PATH_SIZE];
    tree_place(top, path, full);
    int descriptor = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (int)strlen(text));
    close(descriptor);
}

static void test_new_text(void **state)
{
    (void)state;
    char top[TREE_PATH_SIZE];
    tree_new(top);
    tree_write(top, "sys/temp1_input", "45000\n");
    struct root *root = root_open(top);
    struct kept_file file = {0};
    struct read got = read_kept(&file, root, "sys/temp1_input", 64);
    assert_int_equal(got.result, ROOT_OK);
    assert_int_equal(got.error, 0);
    assert_int_equal(got.length, 6);
    int descriptor = file.descriptor;
    overwrite(top, "sys/temp1_input", "46500\n");
    got = read_kept(&file, root, "sys/temp1_input", 64);
    assert_memory_equal(got.text, "46500\n", 6);
    assert_true(file.open && file.descriptor == descriptor && !got.lost);
    assert_int_equal(read_kept(&file, root, "sys/temp1_input", 3).result, ROOT_TRUNCATED);
    kept_file_close(&file);
    assert_false(file.open);
    assert_int_equal(fcntl(descriptor, F_GETFD), -1);
    kept_file_close(&file);
    root_close(&root);
    tree_remove(top);
}

static void test_other_tree(void **state)
{
    (void)state;
    char first[TREE_PATH_SIZE], second[TREE_PATH_SIZE];
    tree_new(first);
    tree_new(second);
    tree_write(first, "a", "1");
    tree_write(second, "a", "2");
    struct root *root = root_open(first);
    struct kept_file file = {0};
    assert_int_equal(read_kept(&file, root, "a", 64).text[0], '1');
    assert_true(root_move(root, second));
    struct read got = read_kept(&file, root, "a", 64);
    assert_int_equal(got.text[0], '2');
    assert_false(got.lost);
    kept_file_close(&file);
    root_close(&root);
    tree_remove(first);
    tree_remove(second);
}

static void test_absent(void **state)
{
    (void)state;
    char top[TREE_PATH_SIZE], full[TREE_PATH_SIZE];
    tree_new(top);
    struct root *root = root_open(top);
    struct kept_file file = {0};
    assert_int_equal(read_kept(&file, root, "a", 64).result, ROOT_ABSENT);
    assert_false(file.open);
    tree_write(top, "a", "1");
    assert_int_equal(read_kept(&file, root, "a", 64).result, ROOT_OK);
    kept_file_close(&file);
    /* Nothing but a regular file is opened: a pipe would block. */
    tree_place(top, "pipe", full);
    assert_int_equal(mkfifo(full, 0600), 0);
    assert_int_equal(read_kept(&file, root, "pipe", 64).result, ROOT_FAILED);
    assert_false(file.open);
    root_close(&root);
    tree_remove(top);
}

/* However many files there are, half of the descriptors stay free for all else. */
static void test_few_descriptors(void **state)
{
    (void)state;
    enum { FILES = 64, ALLOWED = 48 };
    char top[TREE_PATH_SIZE], path[16];
    struct kept_file files[FILES] = {0};
    struct rlimit before, few = {ALLOWED, ALLOWED};
    size_t kept = 0;
    tree_new(top);
    struct root *root = root_open(top);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < FILES; i++) {
            snprintf(path, sizeof path, "temp%zu", i);
            if (round == 0)
                tree_write(top, path, "42\n");
            struct read got = read_kept(&files[i], root, path, sizeof got.text);
            assert_int_equal(got.result, ROOT_OK);
            assert_int_equal(got.length, 3);
            assert_false(got.lost);
        }
    }
    for (size_t i = 0; i < FILES; i++) {
        kept += files[i].open;
        assert_true(!files[i].open || files[i].descriptor < ALLOWED / 2);
        kept_file_close(&files[i]);
    }
    assert_true(kept > 0);
    setrlimit(RLIMIT_NOFILE, &before);
    root_close(&root);
    tree_remove(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_text),
        cmocka_unit_test(test_other_tree),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_few_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

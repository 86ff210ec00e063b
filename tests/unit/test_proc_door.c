/* Expected values: proc_pid_fd(5) (st_size is the number of descriptors since Linux 6.2), and a
 * recorded tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "os/linux/proc_door.h"
#include "tree.h"

extern char **environ;

static struct proc_door *door;
static struct device_table *table;
static struct proc_look look;

static int setup(void **state)
{
    (void)state;
    door = proc_door_new();
    table = device_table_new();
    look = (struct proc_look){.files = NULL};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    proc_door_free(&door);
    device_table_free(&table);
    free(look.files);
    return 0;
}

static void test_real(void **state)
{
    (void)state;
    struct root *root = root_open("/");
    const struct proc_entry *entries;
    size_t count;
    assert_true(proc_door_begin(door, root));
    device_table_begin(table, root, 0);
    assert_true(proc_door_list(door, &entries, &count));
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || entries[i].pid > entries[i - 1].pid);
        found |= entries[i].pid == getpid();
        assert_true(entries[i].inode != 0);
    }
    assert_true(found);

    int32_t self = getpid();
    assert_int_equal(proc_door_look(door, table, self, PROC_STAMP_ALWAYS, &look), PROC_OK);
    assert_int_equal(look.table, PROC_OK);
    assert_false(look.incomplete || look.is_kernel_thread || look.is_zombie);
    assert_true(look.has_stat && look.start_stamp > 0);
    int64_t before = look.descriptor_count, counted = 0;
    int extra = dup(0);
    assert_int_equal(proc_door_look(door, table, self, PROC_STAMP_IF_NEEDED, &look), PROC_OK);
    assert_int_equal(look.descriptor_count, before + 1);
    assert_false(look.has_stat); /* nothing depends on it */
    close(extra);
    if (proc_door_can_count(door)) {
        assert_int_equal(proc_door_count(door, self, &counted), PROC_OK);
        assert_int_equal(counted, before - 1); /* a look holds one descriptor itself */
    }
    assert_int_equal(proc_door_look(door, table, 999999999, PROC_STAMP_ALWAYS, &look), PROC_GONE);
    assert_int_equal(proc_door_count(door, 999999999, &counted), PROC_GONE);
    root_close(&root);
}

/* A child that ended and was not waited for is a zombie; after that it is gone. */
static void test_zombie(void **state)
{
    (void)state;
    struct root *root = root_open("/");
    char *const arguments[] = {"true", NULL};
    pid_t child;
    siginfo_t about;
    assert_true(proc_door_begin(door, root));
    device_table_begin(table, root, 0);
    assert_int_equal(posix_spawnp(&child, "true", NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitid(P_PID, (id_t)child, &about, WEXITED | WNOWAIT), 0);
    assert_int_equal(proc_door_look(door, table, child, PROC_STAMP_IF_NEEDED, &look), PROC_OK);
    assert_true(look.is_zombie);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(proc_door_look(door, table, child, PROC_STAMP_IF_NEEDED, &look), PROC_GONE);
    root_close(&root);
}

static void test_recorded(void **state)
{
    (void)state;
    char top[TREE_PATH_SIZE];
    const struct proc_entry *entries;
    size_t count;
    tree_new(top);
    static const char *const pids[] = {"300", "20", "4242"};
    for (size_t i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "proc/%s/stat", pids[i]);
        tree_write(top, path, "1 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 4 0 77 0 10 0\n");
    }
    tree_link(top, "proc/300/fd/3", "/dev/dri/renderD128");
    tree_link(top, "proc/300/fd/12", "socket:[5]");
    tree_write(top, "proc/300/fd/.keep", "");
    tree_write(top, "proc/4242/status", "Kthread:\t1\n");
    tree_folder(top, "proc/0500x");
    struct root *root = root_open(top);
    assert_true(proc_door_begin(door, root));
    assert_false(proc_door_can_count(door));
    device_table_begin(table, root, 0);
    assert_true(proc_door_list(door, &entries, &count));
    assert_int_equal(count, 3);
    assert_int_equal(entries[0].pid, 20);
    assert_int_equal(entries[2].pid, 4242);

    assert_int_equal(proc_door_look(door, table, 300, PROC_STAMP_ALWAYS, &look), PROC_OK);
    assert_int_equal(look.descriptor_count, 2);
    assert_int_equal(look.file_count, 1);
    assert_int_equal(look.files[0].fd, 3);
    assert_true(look.files[0].device_number == device_number_make(226, 128));
    assert_int_equal(look.start_stamp, 77);
    /* a table that was not recorded is an empty one */
    assert_int_equal(proc_door_look(door, table, 20, PROC_STAMP_ALWAYS, &look), PROC_OK);
    assert_int_equal(look.table, PROC_OK);
    assert_int_equal(look.descriptor_count, 0);
    assert_int_equal(proc_door_look(door, table, 4242, PROC_STAMP_ALWAYS, &look), PROC_OK);
    assert_true(look.is_kernel_thread);
    assert_int_equal(proc_door_look(door, table, 9, PROC_STAMP_ALWAYS, &look), PROC_GONE);
    root_close(&root);
    tree_remove(top);
}

static void test_without_proc(void **state)
{
    (void)state;
    char top[TREE_PATH_SIZE];
    tree_new(top);
    struct root *root = root_open(top);
    assert_false(proc_door_begin(door, root));
    root_close(&root);
    tree_remove(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_real, setup, teardown),
        cmocka_unit_test_setup_teardown(test_zombie, setup, teardown),
        cmocka_unit_test_setup_teardown(test_recorded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_proc, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

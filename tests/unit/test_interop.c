/* Expected values: reference nvidia.md section 9: microsoft/WSL#13449 and #11471 (the entry's
 * names), #8843 (none at all); /proc/mounts as proc(5) and WSL write it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "os/linux/interop.h"
#include "os/linux/mode.h"
#include "tree.h"

#define BINFMT "proc/sys/fs/binfmt_misc/"
#define POWERSHELL "/Windows/System32/WindowsPowerShell/v1.0/powershell.exe"

static const struct {
    const char *status, *entry, *late; /* NULL: no such file */
    enum interop expected;
} entries[] = {
    {"enabled\n", "enabled\ninterpreter /init\nflags: PF\n", NULL, INTEROP_ON},
    {"enabled\n", NULL, "enabled\ninterpreter /init\n", INTEROP_ON},
    {NULL, "enabled\n", NULL, INTEROP_ON},
    {"enabled\n", "disabled\n", "enabled\n", INTEROP_ON},
    {"enabled\n", "disabled\ninterpreter /init\n", NULL, INTEROP_OFF},
    {"enabled\n", "disabled\n", "disabled\n", INTEROP_OFF},
    {"disabled\n", "enabled\n", "enabled\n", INTEROP_OFF},
    {"enabled\n", "", NULL, INTEROP_OFF},
    {"enabled\n", "enabledx\n", NULL, INTEROP_OFF},
    {"enabled\n", NULL, NULL, INTEROP_MISSING},
    {NULL, NULL, NULL, INTEROP_MISSING},
};

static struct root *open_tree(const char *top)
{
    struct root *root = root_open(top);
    assert_non_null(root);
    return root;
}

static void test_entries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        char top[TREE_PATH_SIZE];
        tree_new(top);
        tree_folder(top, "proc");
        if (entries[i].status)
            tree_write(top, BINFMT "status", entries[i].status);
        if (entries[i].entry)
            tree_write(top, BINFMT "WSLInterop", entries[i].entry);
        if (entries[i].late)
            tree_write(top, BINFMT "WSLInterop-late", entries[i].late);
        struct root *root = open_tree(top);
        enum interop found = interop_of(root);
        root_close(&root);
        tree_remove(top);
        if (found != entries[i].expected)
            fail_msg("entry %zu: %d", i, found);
    }
}

static const struct {
    const char *mounts, *there, *expected;
} places[] = {
    /* WSL 2 as it comes. */
    {"none / ext4 rw 0 0\nC:\\134 /mnt/c 9p rw,noatime,aname=drvfs;path=C:\\;uid=0 0 0\n", "mnt/c",
     "/mnt/c" POWERSHELL},
    {"drvfs /mnt/c 9p rw,aname=drvfs;path=C:\\134;uid=1000 0 0\n", "mnt/c", "/mnt/c" POWERSHELL},
    {"C: /mnt/c drvfs rw 0 0\n", "mnt/c", "/mnt/c" POWERSHELL},
    {"c:\\134 /mnt/c virtiofs rw 0 0\n", "mnt/c", "/mnt/c" POWERSHELL},
    /* [automount] root of /etc/wsl.conf: elsewhere, at the root itself, with a blank. */
    {"C:\\134 /c 9p rw 0 0\n", "c", "/c" POWERSHELL},
    {"C:\\134 / 9p rw 0 0\n", ".", POWERSHELL},
    {"C:\\134 /my\\040disks/c 9p rw 0 0\n", "my disks/c", "/my disks/c" POWERSHELL},
    /* Another drive, another file system, no PowerShell there, no such line: for PATH. */
    {"D:\\134 /mnt/d 9p rw 0 0\n", "mnt/d", "powershell.exe"},
    {"C:\\134 /mnt/c ext4 rw 0 0\n", "mnt/c", "powershell.exe"},
    {"C:\\134 /mnt/c 9p rw 0 0\n", "mnt/x", "powershell.exe"},
    {"C:\\134 relative 9p rw 0 0\n", "mnt/c", "powershell.exe"},
    {"C:\\134 /mnt/c\n\n9p\n", "mnt/c", "powershell.exe"},
    {"", "mnt/c", "powershell.exe"},
    /* The first one that has it. */
    {"C:\\134 /mnt/x 9p rw 0 0\nC:\\134 /mnt/c 9p rw 0 0\n", "mnt/c", "/mnt/c" POWERSHELL},
};

static void test_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char top[TREE_PATH_SIZE], path[INTEROP_PATH_SIZE], there[256];
        tree_new(top);
        tree_write(top, "proc/mounts", places[i].mounts);
        snprintf(there, sizeof there, "%s" POWERSHELL, places[i].there);
        tree_write(top, there, "");
        struct root *root = open_tree(top);
        interop_powershell(root, path);
        root_close(&root);
        tree_remove(top);
        if (strcmp(path, places[i].expected) != 0)
            fail_msg("mounts %zu: %s", i, path);
    }
}

/* A mount point that is too long, or an endless line, is passed over. */
static void test_long_mounts(void **state)
{
    (void)state;
    char top[TREE_PATH_SIZE], path[INTEROP_PATH_SIZE];
    static char mounts[20000];
    tree_new(top);
    memset(mounts, 'a', sizeof mounts - 1);
    memcpy(mounts, "C:\\134 /", strlen("C:\\134 /"));
    memcpy(mounts + 9000, " 9p rw 0 0\n", strlen(" 9p rw 0 0\n"));
    tree_write(top, "proc/mounts", mounts);
    struct root *root = open_tree(top);
    interop_powershell(root, path);
    assert_string_equal(path, "powershell.exe");
    root_close(&root);
    tree_remove(top);
}

/* Kernel names: Microsoft/WSL2-Linux-Kernel and WSL 1 ("4.4.0-19041-Microsoft"). */
static const struct {
    const char *release;
    bool dxg, folder, variables;
    enum machine_mode expected;
} kernels[] = {
    {"5.15.167.4-microsoft-standard-WSL2\n", true, false, false, MODE_WSL},
    {"6.6.87.2-microsoft-standard-WSL2+\n", false, false, false, MODE_WSL},
    {"5.10.0-Microsoft-Standard-custom\n", false, false, false, MODE_WSL},
    {"4.4.0-19041-Microsoft\n", false, true, true, MODE_NATIVE},
    {"6.12.1-custom\n", true, true, false, MODE_WSL},
    {"6.12.1-custom\n", true, false, true, MODE_WSL},
    {"6.12.1-custom\n", true, false, false, MODE_NATIVE}, /* another Hyper-V guest */
    {"6.12.1-custom\n", false, true, true, MODE_NATIVE},
    {"", false, false, false, MODE_NATIVE},
};

static void test_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char top[TREE_PATH_SIZE];
        tree_new(top);
        tree_write(top, "proc/sys/kernel/osrelease", kernels[i].release);
        tree_link(top, "proc/self/ns/pid", "pid:[4026531836]");
        if (kernels[i].dxg)
            tree_write(top, "dev/dxg", "");
        if (kernels[i].folder)
            tree_folder(top, "run/WSL");
        struct root *root = open_tree(top);
        enum machine_mode mode = mode_detect(root, "self", kernels[i].variables);
        root_close(&root);
        tree_remove(top);
        if (mode != kernels[i].expected)
            fail_msg("kernel %zu: %d", i, mode);
    }
}

static void touch(const char *top, const char *path, time_t seconds)
{
    char full[TREE_PATH_SIZE];
    tree_write(top, path, "");
    tree_place(top, path, full);
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, full, times, 0), 0);
}

/* Under sudo there is no WSL_INTEROP, in a terminal of tmux that of a shell that has ended. */
static void test_sockets(void **state)
{
    (void)state;
    static const struct {
        const char *named, *expected;
    } cases[] = {
        {"/run/WSL/8_interop", "/run/WSL/8_interop"}, /* it is there: as WSL says */
        {NULL, "/run/WSL/30_interop"},                /* the newest whose session lives */
        {"", "/run/WSL/30_interop"},
        {"/run/WSL/99_interop", "/run/WSL/30_interop"}, /* it has gone */
        {"run/WSL/8_interop", "/run/WSL/30_interop"},
    };
    char top[TREE_PATH_SIZE], path[INTEROP_PATH_SIZE];
    tree_new(top);
    touch(top, "run/WSL/8_interop", 100);
    touch(top, "run/WSL/30_interop", 300);
    touch(top, "run/WSL/20_interop", 200);
    touch(top, "run/WSL/50_interop", 500); /* of a session that has ended */
    touch(top, "run/WSL/interop", 900);
    touch(top, "run/WSL/9_interop.old", 900);
    tree_folder(top, "proc/8");
    tree_folder(top, "proc/20");
    tree_folder(top, "proc/30");
    struct root *root = open_tree(top);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        interop_socket(root, cases[i].named, path);
        assert_string_equal(path, cases[i].expected);
    }
    tree_remove(top);
    root_close(&root);
    tree_new(top);
    touch(top, "run/WSL/50_interop", 500);
    root = open_tree(top);
    interop_socket(root, NULL, path);
    assert_string_equal(path, "/run/WSL/50_interop"); /* better than none */
    root_close(&root);
    tree_remove(top);
    tree_new(top);
    root = open_tree(top);
    interop_socket(root, NULL, path);
    assert_string_equal(path, "");
    root_close(&root);
    tree_remove(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),     cmocka_unit_test(test_places),
        cmocka_unit_test(test_long_mounts), cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_sockets),
    };
    return cmocka_run_group_tests_name("interop", tests, NULL, NULL);
}

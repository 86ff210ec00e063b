/* Expected values: proc_pid_maps(5), proc_pid_cmdline(5), passwd(5), cgroups(7), proc_meminfo(5),
 * proc_stat(5), proc_pid_mountinfo(5), Documentation/admin-guide/devices.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "os/linux/cgroup.h"
#include "os/linux/cpu_stat.h"
#include "os/linux/meminfo.h"
#include "os/linux/mountinfo.h"
#include "os/linux/passwd.h"
#include "os/linux/proc_cmdline.h"
#include "os/linux/proc_devices.h"
#include "os/linux/proc_maps.h"
#include "os/linux/process_files.h"

static void test_mapping(void **state)
{
    (void)state;
    struct proc_mapping mapping;
    assert_true(proc_mapping_parse(
        raw_from_string("7f1234560000-7f1234570000 r-xp 00001000 fd:01 393449                     "
                        "/usr/lib/my models/libcuda.so.550.54 (deleted)"),
        &mapping));
    assert_true(mapping.start == 0x7f1234560000 && mapping.end == 0x7f1234570000);
    assert_true(mapping.readable && mapping.executable && !mapping.writable && !mapping.shared);
    assert_int_equal(mapping.offset, 0x1000);
    assert_int_equal(mapping.device_major, 0xfd);
    assert_int_equal(mapping.device_minor, 1);
    assert_int_equal(mapping.inode, 393449);
    assert_true(raw_equal_string(mapping.path, "/usr/lib/my models/libcuda.so.550.54"));
    assert_true(mapping.deleted);

    assert_true(
        proc_mapping_parse(raw_from_string("00400000-00452000 rw-s 00000000 00:00 0 "), &mapping));
    assert_int_equal(mapping.path.length, 0);
    assert_true(mapping.shared && mapping.writable);
    assert_true(
        proc_mapping_parse(raw_from_string("00400000-00452000 rw-p 00000000 00:00 0"), &mapping));

    static const char *const bad[] = {"",
                                      "00400000",
                                      "00452000-00400000 rw-p 00000000 00:00 0",
                                      "00400000-00452000 rw 00000000 00:00 0",
                                      "00400000-00452000 rw-p zz 00:00 0",
                                      "00400000-00452000 rw-p 00000000 0000 0",
                                      "00400000-00452000 rw-p 00000000 00:00",
                                      "fffffffffffffffff-00452000 rw-p 00000000 00:00 0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (proc_mapping_parse(raw_from_string(bad[i]), &mapping))
            fail_msg("accepted: %s", bad[i]);
}

static void test_cuda_driver(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool is;
    } cases[] = {
        {"/usr/lib/libcuda.so", true},
        {"/usr/lib/wsl/drivers/nv_dispi.inf_amd64/libcuda.so.1.1", true},
        {"/usr/lib/libcuda.so.1 (deleted)", true},
        {"libcuda.so.1", true},
        {"/usr/lib/libcuda.so (deleted)", true},
        {"/usr/lib/libcudart.so.12", false},
        {"/usr/lib/libcuda.sox", false},
        {"/usr/lib/xlibcuda.so", false},
        {"/usr/lib/libcuda.so/readme", false},
        {"/usr/lib/libnvidia-ml.so.1", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (path_is_cuda_driver(raw_from_string(cases[i].path)) != cases[i].is)
            fail_msg("%s", cases[i].path);
}

static void test_cmdline(void **state)
{
    (void)state;
    struct raw_text rest = cmdline_trim((struct raw_text){"a\0\0-b c\0\0\0", 9}), argument;
    assert_int_equal(rest.length, 7);
    assert_true(cmdline_next(&rest, &argument) && raw_equal_string(argument, "a"));
    assert_true(cmdline_next(&rest, &argument) && argument.length == 0);
    assert_true(cmdline_next(&rest, &argument) && raw_equal_string(argument, "-b c"));
    assert_false(cmdline_next(&rest, &argument));
    /* an overwritten title */
    rest = cmdline_trim((struct raw_text){"nginx: worker    \0\0\0", 20});
    assert_true(cmdline_next(&rest, &argument) && raw_equal_string(argument, "nginx: worker"));
    rest = cmdline_trim((struct raw_text){"x\0 \0", 4});
    assert_int_equal(rest.length, 3);
    assert_int_equal(cmdline_trim((struct raw_text){"\0\0", 2}).length, 0);
    assert_int_equal(cmdline_trim((struct raw_text){NULL, 0}).length, 0);
}

static void test_passwd(void **state)
{
    (void)state;
    struct passwd *passwd = passwd_new(
        raw_from_string("root:x:0:0:root:/root:/bin/bash\n# comment\nbroken\n:x:5:5::/:\n"
                        "ann:x:1000:1000:Ann,,,:/home/ann:/bin/zsh\n"
                        "toor:x:0:0::/root:/bin/sh\nbad:x:12a:1::/:\n+::::::"));
    assert_true(raw_equal_string(passwd_name(passwd, 0), "root"));
    assert_true(raw_equal_string(passwd_name(passwd, 1000), "ann"));
    assert_null(passwd_name(passwd, 5).bytes);
    assert_null(passwd_name(passwd, 12).bytes);
    assert_null(passwd_name(passwd, UINT64_MAX).bytes);
    passwd_free(&passwd);
    passwd = passwd_new((struct raw_text){NULL, 0});
    assert_null(passwd_name(passwd, 0).bytes);
    passwd_free(&passwd);
}

static void test_cgroup(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path;
    } cases[] = {
        {"0::/user.slice/x.scope\n", "/user.slice/x.scope"},
        {"12:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abcdef\n0::/\n", "/docker/abcdef"},
        {"12:cpu:/docker/abc\n0::/system.slice/docker.service", "/system.slice/docker.service"},
        {"0::/\n", "/"},
        {"0::/a:b\n", "/a:b"},
        {"garbage\n0:\n", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct raw_text path = cgroup_path(raw_from_string(cases[i].text));
        if (cases[i].path ? !raw_equal_string(path, cases[i].path) : path.bytes != NULL)
            fail_msg("%s: %.*s", cases[i].text, (int)path.length, path.bytes ? path.bytes : "");
    }
}

static void test_meminfo(void **state)
{
    (void)state;
    struct meminfo meminfo;
    meminfo_parse(
        raw_from_string("MemTotal:       2000 kB\nMemFree: 100 kB\nMemAvailable: 1500 kB\n"
                        "SwapTotal: 0 kB\nHugePages_Total: 0\n"),
        &meminfo);
    assert_int_equal(meminfo.total_bytes.value, 2000 * 1024);
    assert_int_equal(meminfo.available_bytes.value, 1500 * 1024);
    assert_true(meminfo.swap_total_bytes.known);
    assert_int_equal(meminfo.swap_total_bytes.value, 0);
    assert_false(meminfo.swap_free_bytes.known);
    meminfo_parse(raw_from_string("MemFree: 1 kB\nBuffers: 2 kB\nCached: 4 kB\nMemTotal: 12"),
                  &meminfo);
    assert_int_equal(meminfo.available_bytes.value, 7 * 1024);
    assert_false(meminfo.total_bytes.known);
    meminfo_parse(raw_from_string("MemFree: 1 kB\nCached: 4 kB\n"), &meminfo);
    assert_false(meminfo.available_bytes.known);
}

static void test_cpu_stat(void **state)
{
    (void)state;
    struct cpu_stat stat;
    cpu_stat_parse(
        raw_from_string("cpu  100 20 30 900 50 1 2 3 40 5\ncpu0 50 10 15 450 25 0 1 1 20 2\n"
                        "cpu1 50 10 15 450 25 1 1 2 20 3\nintr 1 2 3\nbtime 1760000000\n"),
        &stat);
    assert_int_equal(stat.busy_ticks.value, 100 + 20 + 30 + 1 + 2 + 3);
    assert_int_equal(stat.total_ticks.value, 100 + 20 + 30 + 900 + 50 + 1 + 2 + 3);
    assert_int_equal(stat.cpu_count, 2);
    assert_int_equal(stat.boot_wall_s.value, 1760000000);
    cpu_stat_parse(raw_from_string("cpu 1 2 3\nbtime -5\n"), &stat);
    assert_false(stat.busy_ticks.known);
    assert_false(stat.boot_wall_s.known);
    cpu_stat_parse(raw_from_string("cpu 9223372036854775807 1 1 1\n"), &stat);
    assert_false(stat.total_ticks.known);
    cpu_stat_parse(raw_from_string("cpu 1 -2 3 4\n"), &stat);
    assert_false(stat.total_ticks.known);
}

static void test_proc_devices(void **state)
{
    (void)state;
    struct proc_devices devices = {
        .rest = raw_from_string(
            "Character devices:\n  1 mem\n195 nvidia\n195 nvidiactl\n508 nvidia-uvm\n"
            "x bad\n\nBlock devices:\n226 fake\n")};
    struct proc_device device;
    static const struct {
        uint32_t major;
        const char *name;
    } want[] = {{1, "mem"}, {195, "nvidia"}, {195, "nvidiactl"}, {508, "nvidia-uvm"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(proc_devices_next(&devices, &device));
        assert_int_equal(device.major, want[i].major);
        assert_true(raw_equal_string(device.name, want[i].name));
    }
    assert_false(proc_devices_next(&devices, &device));
}

static void test_mountinfo(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is_proc, hides;
    } cases[] = {
        {"23 28 0:21 / /proc rw,nosuid - proc proc rw", true, false},
        {"23 28 0:21 / /proc rw,nosuid shared:5 - proc proc rw,gid=4,hidepid=invisible", true,
         true},
        {"23 28 0:21 / /proc rw - proc none rw,hidepid=2", true, true},
        {"23 28 0:21 / /proc rw - proc proc rw,hidepid=0", true, false},
        {"23 28 0:21 / /proc rw - proc proc rw,hidepid=off", true, false},
        {"23 28 0:21 / /mnt/proc rw - proc proc rw,hidepid=2", false, false},
        {"23 28 0:21 / /proc rw - tmpfs tmpfs rw,hidepid=2", false, false},
        {"23 28 0:21 / /proc", false, false},
        {"", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool hides = false;
        if (mountinfo_hides_processes(raw_from_string(cases[i].line), &hides) != cases[i].is_proc ||
            hides != cases[i].hides)
            fail_msg("%s", cases[i].line);
    }
}

static void test_socket(void **state)
{
    (void)state;
    uint64_t inode;
    assert_true(socket_inode_parse(raw_from_string("socket:[12345]"), &inode));
    assert_int_equal(inode, 12345);
    static const char *const bad[] = {"socket:[]", "socket:[12", "socket:[12]x", "pipe:[12]", ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(socket_inode_parse(raw_from_string(bad[i]), &inode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapping),   cmocka_unit_test(test_cuda_driver),
        cmocka_unit_test(test_cmdline),   cmocka_unit_test(test_passwd),
        cmocka_unit_test(test_cgroup),    cmocka_unit_test(test_meminfo),
        cmocka_unit_test(test_cpu_stat),  cmocka_unit_test(test_proc_devices),
        cmocka_unit_test(test_mountinfo), cmocka_unit_test(test_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Expected values: proc_pid_stat(5), proc_pid_status(5); a name may hold anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/linux/proc_stat.h"
#include "os/linux/proc_status.h"

#define TAIL                                                                                       \
    " S 7 4242 4242 0 -1 4194560 1 2 3 4 1200 300 5 6 20 0 4 0 181237 327680000 10000 "            \
    "18446744073709551615 0 0 0\n"

static void test_stat(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"4242 (llama-server)" TAIL, "llama-server"}, {"4242 (Web Content)" TAIL, "Web Content"},
        {"4242 (a) S 1 (b)" TAIL, "a) S 1 (b"},       {"4242 (:) ) R 9)" TAIL, ":) ) R 9"},
        {"4242 (with\nline)" TAIL, "with\nline"},     {"4242 ()" TAIL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proc_stat stat;
        assert_true(proc_stat_parse(raw_from_string(cases[i].text), &stat));
        assert_true(raw_equal_string(stat.name, cases[i].name));
        assert_int_equal(stat.state, 'S');
        assert_int_equal(stat.parent_pid, 7);
        assert_int_equal(stat.user_ticks, 1200);
        assert_int_equal(stat.system_ticks, 300);
        assert_int_equal(stat.start_stamp, 181237);
        assert_int_equal(stat.resident_pages, 10000);
        assert_false(proc_stat_is_kernel_thread(&stat));
        assert_false(proc_stat_is_zombie(&stat));
    }
}

static void test_stat_kinds(void **state)
{
    (void)state;
    struct proc_stat stat;
    /* flags of a kworker: PF_KTHREAD 0x00200000 among them */
    assert_true(proc_stat_parse(
        raw_from_string(
            "91 (kworker/u64:1-amdgpu-reset-dev) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 "
            "0 1 0 3 0 0 18446744073709551615"),
        &stat));
    assert_true(proc_stat_is_kernel_thread(&stat));
    assert_true(proc_stat_parse(
        raw_from_string(
            "2602 (defunct) Z 1 2602 2602 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 61001 0 0"),
        &stat));
    assert_true(proc_stat_is_zombie(&stat));
    assert_int_equal(stat.resident_pages, 0);
}

static void test_stat_malformed(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "4242",
        "4242 (x",
        "4242 x)",
        "4242 (x)",
        "4242 (x) S",
        "4242 (x) SS 7 4242 4242 0 -1 4194560 1 2 3 4 1200 300 5 6 20 0 4 0 181237 327680000 10000",
        "4242 (x) S 7 4242 4242 0 -1 4194560 1 2 3 4 1200 300 5 6 20 0 4 0 181237 327680000",
        "4242 (x) S 7 4242 4242 0 -1 4194560 1 2 3 4 -5 300 5 6 20 0 4 0 181237 327680000 10000",
        "4242 (x) S 7 4242 4242 0 -1 4194560 1 2 3 4 1200 300 5 6 20 0 4 0 x 327680000 10000",
        "4242 (x) S 7 4242 4242 0 -1 4194560 1 2 3 4 1 3 5 6 20 0 4 0 99999999999999999999 3 1",
    };
    struct proc_stat stat;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (proc_stat_parse(raw_from_string(cases[i]), &stat))
            fail_msg("accepted: %s", cases[i]);
    assert_false(proc_stat_parse((struct raw_text){NULL, 0}, &stat));
}

static void test_status(void **state)
{
    (void)state;
    struct proc_status status;
    proc_status_parse(raw_from_string("Name:\tUid:\t7\nUid:\t1000\t0\t0\t0\nKthread:\t0\n"
                                      "VmHWM:\t    9 kB\nVmRSS:\t 5120000 kB\n"),
                      &status);
    assert_true(status.has_user);
    assert_int_equal(status.user, 1000);
    assert_false(status.is_kernel_thread);
    assert_true(status.resident_bytes.known);
    assert_int_equal(status.resident_bytes.value, INT64_C(5120000) * 1024);

    proc_status_parse(raw_from_string("Kthread:\t1\nVmRSS:\t12 MB\nUid:\tann"), &status);
    assert_true(status.is_kernel_thread);
    assert_false(status.has_user);
    assert_false(status.resident_bytes.known);

    proc_status_parse(raw_from_string("VmRSS:\t 99999999999999999 kB\nUid:"), &status);
    assert_false(status.resident_bytes.known);
    assert_false(status.has_user);
    proc_status_parse((struct raw_text){NULL, 0}, &status);
    assert_false(status.has_user);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat),
        cmocka_unit_test(test_stat_kinds),
        cmocka_unit_test(test_stat_malformed),
        cmocka_unit_test(test_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "os/macos/macos.h"

static const struct macos_process table[] = {
    {.pid = 0, .name = {"kernel_task", 11}},
    {.pid = 1, .started_us = 1700000000000001, .name = {"launchd", 7}},
    {.pid = 612, .parent_pid = 1, .started_us = 1700000100500000, .name = {"ollama", 6}},
    {.pid = 612, .started_us = 1700000100500001, .name = {"twice", 5}},
};

static struct system_reading *read_with(bool read, const int64_t *pids, size_t count)
{
    struct system_reading *reading = system_reading_new();
    struct macos_process_list list = {
        .read = read, .processes = table, .count = read ? sizeof table / sizeof table[0] : 0};
    struct system_request request = {.pids = pids, .pid_count = count};
    macos_processes_read(&list, &request, 99, reading);
    return reading;
}

static void asked_ones_are_found_once(void **state)
{
    const int64_t pids[] = {612, 7, 612, 1};
    struct system_reading *reading = read_with(true, pids, 4);
    (void)state;
    assert_int_equal(reading->process_count, 2);
    assert_int_equal(reading->processes[0].identity.pid, 612);
    assert_true(reading->processes[0].identity.start_stamp == 1700000100500000);
    assert_true(reading->processes[0].start_wall_ns == 1700000100500000000);
    assert_int_equal(reading->processes[0].parent_pid, 1);
    assert_int_equal(reading->processes[0].read_running_ns, 99);
    assert_false(reading->processes[0].cpu_time_ns.known);
    assert_int_equal(reading->missing_pid_count, 1);
    assert_int_equal(reading->missing_pids[0], 7);
    assert_true(reading->everyone_read);
    assert_int_equal(reading->everyone_count, 4);
    assert_true(reading->everyone[0].start_stamp == IDENTITY_NO_STAMP);
    system_reading_free(&reading);
}

/* A sandbox that refuses the table hides everybody: that nobody is there is not known. */
static void a_refused_table_names_nobody_missing(void **state)
{
    const int64_t pids[] = {612};
    struct system_reading *reading = read_with(false, pids, 1);
    (void)state;
    assert_int_equal(reading->process_count, 0);
    assert_int_equal(reading->missing_pid_count, 0);
    assert_false(reading->everyone_read);
    system_reading_free(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked_ones_are_found_once),
        cmocka_unit_test(a_refused_table_names_nobody_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

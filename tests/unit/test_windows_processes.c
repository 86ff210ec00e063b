#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "os/windows/processes.h"

enum { SECOND = 1000000000 };

/* What the stand-in of a system says, and how often its details were asked. */
struct stand_in {
    struct windows_process_list list;
    enum windows_access access;
    size_t asked;
};

static void list(void *context, uint64_t sample, struct arena *arena,
                 struct windows_process_list *list)
{
    const struct stand_in *said = context;
    (void)sample, (void)arena;
    *list = said->list;
}

static void details(void *context, uint64_t sample, struct arena *arena, int64_t pid,
                    int64_t created_100ns, struct windows_process_details *details)
{
    struct stand_in *said = context;
    (void)sample, (void)arena, (void)pid, (void)created_100ns;
    said->asked++;
    *details = (struct windows_process_details){.user = {"ann", 3}, .access = said->access};
}

static void read_at(struct windows_processes *processes, struct stand_in *said, int64_t seconds,
                    const int64_t *pids, size_t count, struct system_reading *reading)
{
    const struct windows_source source = {.context = said, .list = list, .details = details};
    const struct machine machine = {.system = "windows"};
    const struct pass pass = {.running_ns = seconds * SECOND};
    const struct system_request request = {.pids = pids, .pid_count = count};
    system_reading_reset(reading);
    windows_processes_read(processes, &source, &machine, &pass, &request, reading);
}

#define CREATED (FILETIME_OF_1970 + INT64_C(17000001000000000))

static const struct windows_process table[] = {
    {.pid = 0},
    {.pid = 4, .name = {"System", 6}},
    {.pid = 612,
     .parent_pid = 4,
     .name = {"ollama.exe", 10},
     .created_100ns = CREATED,
     .cpu_100ns = {.known = true, .value = 5},
     .working_set_bytes = {.known = true, .value = 4096}},
    {.pid = 700, .name = {"odd", 3}, .cpu_100ns = {.known = true, .value = INT64_MAX}},
};

static const struct windows_process reused[] = {{.pid = 612, .created_100ns = CREATED + 1}};

static void asked_ones_are_found_once(void **state)
{
    const int64_t pids[] = {612, 7, 612, 700};
    struct stand_in said = {.list = {true, table, sizeof table / sizeof *table}};
    struct windows_processes *processes = windows_processes_new();
    struct system_reading *reading = system_reading_new();
    (void)state;
    read_at(processes, &said, 1, pids, 4, reading);
    assert_int_equal(reading->process_count, 2);
    const struct process_reading *ollama = &reading->processes[0];
    assert_int_equal(ollama->identity.pid, 612);
    assert_true(ollama->identity.start_stamp == (uint64_t)CREATED);
    assert_true(ollama->start_wall_ns == INT64_C(1700000100000000000));
    assert_int_equal(ollama->parent_pid, 4);
    assert_true(ollama->cpu_time_ns.known && ollama->cpu_time_ns.value == 500);
    assert_true(ollama->ram_bytes.known && ollama->ram_bytes.value == 4096);
    assert_int_equal(ollama->user.length, 3);
    /* More time than fits is no time. */
    assert_false(reading->processes[1].cpu_time_ns.known);
    assert_int_equal(reading->processes[1].cpu_time_ns.why_not, REASON_incredible_value);
    assert_true(reading->processes[1].identity.start_stamp == IDENTITY_NO_STAMP);
    assert_int_equal(reading->missing_pid_count, 1);
    assert_int_equal(reading->missing_pids[0], 7);
    assert_int_equal(reading->everyone_count, 4);
    system_reading_free(&reading);
    windows_processes_free(&processes);
}

/* That a list cannot be read says nothing about who is there. */
static void a_refused_list_names_nobody_missing(void **state)
{
    const int64_t pids[] = {612};
    struct stand_in said = {.list = {.read = false}};
    struct windows_processes *processes = windows_processes_new();
    struct system_reading *reading = system_reading_new();
    (void)state;
    read_at(processes, &said, 1, pids, 1, reading);
    assert_int_equal(reading->process_count, 0);
    assert_int_equal(reading->missing_pid_count, 0);
    assert_false(reading->everyone_read);
    system_reading_free(&reading);
    windows_processes_free(&processes);
}

/* A handle is opened at the first look, after 30 s, and for another process of the same number. */
static void details_are_asked_seldom(void **state)
{
    static const struct {
        int64_t seconds;
        bool other;
        size_t asked;
    } rows[] = {{1, false, 1}, {2, false, 1}, {31, false, 1}, {32, false, 2},
                {33, true, 3}, {34, true, 3}, {35, false, 3}};
    const int64_t pids[] = {612};
    struct stand_in said = {.asked = 0};
    struct windows_processes *processes = windows_processes_new();
    struct system_reading *reading = system_reading_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        said.list = rows[i].other ? (struct windows_process_list){true, reused, 1}
                                  : (struct windows_process_list){true, &table[2], 1};
        read_at(processes, &said, rows[i].seconds, pids, 1, reading);
        assert_int_equal(said.asked, rows[i].asked);
    }
    system_reading_free(&reading);
    windows_processes_free(&processes);
}

static void who_may_not_be_looked_into_is_counted(void **state)
{
    static const struct {
        enum windows_access access;
        bool known;
        int64_t unreadable;
        size_t protected_count;
    } rows[] = {{WINDOWS_ACCESS_UNKNOWN, false, 0, 0},
                {WINDOWS_ACCESS_FULL, true, 0, 0},
                {WINDOWS_ACCESS_REFUSED, true, 1, 0},
                {WINDOWS_ACCESS_PROTECTED, true, 1, 1}};
    const int64_t pids[] = {612};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stand_in said = {.list = {true, table, 4}, .access = rows[i].access};
        struct windows_processes *processes = windows_processes_new();
        struct system_reading *reading = system_reading_new();
        read_at(processes, &said, 1, pids, 1, reading);
        assert_int_equal(reading->unreadable.known, rows[i].known);
        assert_int_equal(reading->unreadable.value, rows[i].unreadable);
        assert_int_equal(reading->protected_count, rows[i].protected_count);
        system_reading_free(&reading);
        windows_processes_free(&processes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked_ones_are_found_once),
        cmocka_unit_test(a_refused_list_names_nobody_missing),
        cmocka_unit_test(details_are_asked_seldom),
        cmocka_unit_test(who_may_not_be_looked_into_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

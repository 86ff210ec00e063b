/* Wake, signals and clocks. The child is this very program, called with --child MODE. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"
#include "os/clock.h"
#include "os/helper_door.h"
#include "os/library.h"
#include "os/signals.h"
#include "reading/identity.h"

#define MS INT64_C(1000000)

static void signal_later(void *context)
{
    thread_sleep_until(thread_clock_ns() + 20 * MS);
    wake_signal(context);
}

static void test_wake(void **state)
{
    struct wake *wake = wake_new();
    int64_t began = thread_clock_ns();

    (void)state;
    assert_false(wake_wait(wake, 0));
    assert_false(wake_wait(wake, began + 20 * MS));
    assert_true(thread_clock_ns() - began >= 20 * MS);
    for (int i = 0; i < 200000; i++) /* more than the pipe holds: never blocks */
        wake_signal(wake);
    assert_true(wake_wait(wake, 0));
    assert_true(wake_wait(wake, INT64_MAX));
    wake_clear(wake);
    assert_false(wake_wait(wake, 0));
    struct thread *thread = thread_start("signaller", signal_later, wake);

    assert_true(wake_wait(wake, INT64_MAX));
    thread_join(&thread);
    errno = 77;
    wake_signal(wake);
    assert_int_equal(errno, 77);
    wake_free(&wake);
    assert_null(wake);
}

static void test_events(void **state)
{
    static const struct {
        int number;
        enum signal_event event;
    } cases[] = {
        {SIGINT, SIGNAL_QUIT},     {SIGTERM, SIGNAL_QUIT},     {SIGHUP, SIGNAL_QUIT},
        {SIGTSTP, SIGNAL_SUSPEND}, {SIGCONT, SIGNAL_CONTINUE}, {SIGWINCH, SIGNAL_RESIZE},
    };
    struct wake *wake = wake_new();

    (void)state;
    signals_start(wake);
    assert_int_equal(signals_next(), SIGNAL_NONE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(wake_wait(wake, 0));
        kill(getpid(), cases[i].number);
        kill(getpid(), cases[i].number);
        assert_true(wake_wait(wake, thread_clock_ns() + 5000 * MS));
        wake_clear(wake);
        assert_int_equal(signals_next(), cases[i].event);
        assert_int_equal(signals_next(), SIGNAL_NONE);
        if (cases[i].event == SIGNAL_QUIT)
            assert_int_equal(signals_quit_number(), cases[i].number);
    }
    raise(SIGPIPE); /* ignored */
    raise(SIGWINCH);
    raise(SIGTERM);
    assert_int_equal(signals_next(), SIGNAL_QUIT); /* first things first */
    assert_int_equal(signals_next(), SIGNAL_RESIZE);
    /* The wake stays: signals may still come. */
}

/* Runs this program as a child; its output and how it ended. */
static void run_child(const char *mode, char *output, size_t size, struct problem *how)
{
    const char *const argv[] = {NULL, "--child", mode, NULL};
    struct helper_process *child = helper_process_start(argv, how);
    size_t length = 0, moved;
    enum helper_transfer transfer;

    assert_non_null(child);
    do {
        struct helper_waiting waiting = {.process = child};

        helper_door_wait(&waiting, 1, NULL, thread_clock_ns() + 20000 * MS);
        transfer = helper_process_read(child, output + length, size - 1 - length, &moved);
        length += moved;
    } while (transfer == HELPER_MOVED);
    output[length] = '\0';
    while (!helper_process_has_ended(child, how))
        thread_sleep_until(thread_clock_ns() + MS);
    helper_process_free(&child);
}

static void test_crash_restores(void **state)
{
    static const struct {
        const char *mode, *output, *how;
    } cases[] = {
        {"segv", "restored", "killed by signal 11 (SIGSEGV)"},
        {"abort", "restored", "killed by signal 6 (SIGABRT)"},
        {"thread", "restored", "killed by signal 11 (SIGSEGV)"},
        {"taken-away", "", "killed by signal 11 (SIGSEGV)"},
        {"quit", "restored", "killed by signal 3 (SIGQUIT)"},
        {"user", "restored", "killed by signal 10 (SIGUSR1)"},
        {"limit", "restored", "killed by signal 24 (SIGXCPU)"},
        {"ignored", "restored", "killed by signal 11 (SIGSEGV)"}, /* SIGUSR1 did nothing */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char output[64];
        struct problem how = {""};

        run_child(cases[i].mode, output, sizeof output, &how);
        assert_string_equal(output, cases[i].output);
        assert_string_equal(how.text, cases[i].how);
    }
}

/* nohup stays nohup. */
static void test_ignored_stays_ignored(void **state)
{
    char output[64];
    struct problem how = {""};

    (void)state;
    run_child("nohup", output, sizeof output, &how);
    assert_string_equal(output, "still here");
}

/* Stopped as by the terminal, and going on where it was. */
static void test_stop_and_continue(void **state)
{
    static const char *const argv[] = {NULL, "--child", "stop-self", NULL};
    struct problem how = {""};
    struct helper_process *child = helper_process_start(argv, &how);
    char line[64] = "", path[64], stat[512];
    size_t moved = 0;
    char now = 0;

    (void)state;
    assert_non_null(child);
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)helper_process_id(child));
    for (int i = 0; i < 4000 && now != 'T'; i++) {
        FILE *file = fopen(path, "r");

        assert_non_null(file);
        assert_non_null(fgets(stat, sizeof stat, file));
        now = strrchr(stat, ')')[2];
        fclose(file);
        thread_sleep_until(thread_clock_ns() + 5 * MS);
    }
    assert_int_equal(now, 'T');
    kill((pid_t)helper_process_id(child), SIGCONT);
    struct helper_waiting waiting = {.process = child};

    helper_door_wait(&waiting, 1, NULL, thread_clock_ns() + 20000 * MS);
    helper_process_read(child, line, sizeof line - 1, &moved);
    assert_string_equal(line, "continued 4, caught 1");
    helper_process_kill(child);
    while (!helper_process_has_ended(child, NULL))
        thread_sleep_until(thread_clock_ns() + MS);
    helper_process_free(&child);
}

static uint64_t start_stamp(int64_t pid)
{
    char path[64], content[1024] = "";

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    assert_non_null(fgets(content, sizeof content, file));
    fclose(file);
    char *field = strrchr(content, ')') + 1;

    for (int number = 3; number < 22; number++)
        field = strchr(field + 1, ' ');
    return strtoull(field, NULL, 10);
}

static void test_send(void **state)
{
    static const char *const argv[] = {NULL, "--child", "pause", NULL};
    struct problem how = {""};
    struct helper_process *child = helper_process_start(argv, &how);
    int64_t pid = helper_process_id(child);
    uint64_t stamp = start_stamp(pid);
    struct identity right = identity_make(NAMESPACE_LOCAL, pid, stamp);
    struct identity reused = identity_make(NAMESPACE_LOCAL, pid, stamp + 1);
    struct identity unknown = identity_make(NAMESPACE_LOCAL, pid, IDENTITY_NO_STAMP);
    struct identity host = identity_make(NAMESPACE_HOST, pid, stamp);
    struct identity none = identity_make(NAMESPACE_LOCAL, 0, stamp);
    struct identity negative = identity_make(NAMESPACE_LOCAL, -pid, stamp);

    (void)state;
    assert_int_equal(signals_send(&reused, SIGTERM), ESRCH);
    assert_int_equal(signals_send(&unknown, SIGTERM), EINVAL);
    assert_int_equal(signals_send(&host, SIGTERM), EINVAL);
    assert_int_equal(signals_send(&none, SIGTERM), EINVAL);
    assert_int_equal(signals_send(&negative, SIGTERM), EINVAL);
    thread_sleep_until(thread_clock_ns() + 20 * MS);
    assert_false(helper_process_has_ended(child, NULL));
    assert_int_equal(signals_send(&right, SIGTERM), 0);
    while (!helper_process_has_ended(child, &how))
        thread_sleep_until(thread_clock_ns() + MS);
    assert_string_equal(how.text, "killed by signal 15 (SIGTERM)");
    assert_int_equal(signals_send(&right, SIGTERM), ESRCH);
    helper_process_free(&child);
}

/* In a new pid namespace: whether a signal meant for a process that /proc shows, by its number, has
 * gone to the one that has the number here. */
static int act_in_new_namespace(void)
{
    pid_t first = fork(); /* process 1 of it, for it to go on */
    if (first == 0)
        for (;;)
            pause();
    pid_t victim = fork(); /* process 2 */
    if (victim == 0)
        for (;;)
            pause();
    pid_t teller = fork(); /* only from within is 2 the victim's number */
    if (teller == 0) {
        const struct identity shown = identity_make(NAMESPACE_LOCAL, 2, start_stamp(2));
        _exit(signals_send(&shown, SIGKILL) == ENOTSUP ? 0 : 1);
    }
    int status = -1, none;
    waitpid(teller, &status, 0);
    bool spared = waitpid(victim, &none, WNOHANG) == 0;
    kill(victim, SIGKILL);
    kill(first, SIGKILL);
    return spared && status == 0 ? 0 : 1;
}

static void test_a_foreign_proc(void **state)
{
    int status = -1;
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_NEWPID) != 0 || access("/proc/2/stat", R_OK) != 0
                  ? 77
                  : act_in_new_namespace());
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void test_clocks(void **state)
{
    int64_t running = clock_running_ns(), elapsed = clock_elapsed_ns();

    (void)state;
    assert_true(elapsed >= running - 1000 * MS);
    thread_sleep_until(thread_clock_ns() + 10 * MS);
    assert_true(clock_running_ns() - running >= 10 * MS);
    assert_true(clock_elapsed_ns() - elapsed >= 10 * MS);
    assert_true(clock_wall_ns() > INT64_C(1700000000) * 1000 * MS);
}

static void test_library(void **state)
{
    struct problem problem = {""};
    struct library *library = library_open("libnothing-of-that-name.so.1", &problem);

    (void)state;
    assert_null(library);
    assert_non_null(strstr(problem.text, "libnothing-of-that-name.so.1"));
    library = library_open("libm.so.6", &problem);
    assert_non_null(library);
    assert_non_null(library_symbol(library, "cos"));
    assert_null(library_symbol(library, "no_such_symbol"));
    library_close(&library);
    assert_null(library);
    library_close(&library);
}

static void crash_thread(void *context)
{
    (void)context;
    raise(SIGSEGV);
}

static void child_crash(const char *mode)
{
    struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    if (!strcmp(mode, "ignored"))
        signal(SIGUSR1, SIG_IGN);
    signals_set_crash_restore("restored");
    if (!strcmp(mode, "quit"))
        raise(SIGQUIT);
    if (!strcmp(mode, "user") || !strcmp(mode, "ignored"))
        raise(SIGUSR1);
    if (!strcmp(mode, "limit"))
        raise(SIGXCPU);
    if (!strcmp(mode, "abort"))
        abort();
    if (!strcmp(mode, "thread")) {
        struct thread *thread = thread_start("crash", crash_thread, NULL);

        thread_join(&thread);
    }
    if (!strcmp(mode, "taken-away"))
        signals_set_crash_restore(NULL);
    raise(SIGSEGV);
}

static int child_main(const char *mode)
{
    if (!strcmp(mode, "pause")) {
        for (;;)
            pause();
    }
    if (!strcmp(mode, "nohup")) {
        signal(SIGHUP, SIG_IGN);
        signals_start(wake_new());
        raise(SIGHUP);
        printf(signals_next() == SIGNAL_NONE ? "still here" : "hung up");
        return 0;
    }
    if (!strcmp(mode, "stop-self")) {
        signals_start(wake_new());
        signals_stop_self();
        enum signal_event event = signals_next();

        raise(SIGTSTP); /* caught again, not stopped by */
        printf("continued %d, caught %d", event, signals_next() == SIGNAL_SUSPEND);
        fflush(stdout);
        pause();
    }
    child_crash(mode);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--child"))
        return child_main(argv[2]);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wake),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_crash_restores),
        cmocka_unit_test(test_ignored_stays_ignored),
        cmocka_unit_test(test_stop_and_continue),
        cmocka_unit_test(test_send),
        cmocka_unit_test(test_a_foreign_proc),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_library),
    };

    return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}

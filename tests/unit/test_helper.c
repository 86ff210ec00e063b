/* The helper mechanism with real processes. The child is this very program, called with --child
 * MODE: it answers, hangs, crashes, floods as the mode says. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"
#include "os/helper.h"
#include "os/helper_door.h"

#define MS INT64_C(1000000)

enum { LINE_LIMIT = 1000, ANSWER_LIMIT = 100000 };

/* Long bounds for what must succeed on a busy machine, short ones for what must not. */
static struct helper *new_helper(const char *const *argv, int64_t first_ms, int64_t later_ms)
{
    struct helper_spec spec = {
        .name = "test",
        .argv = argv,
        .first_answer_ns = first_ms * MS,
        .answer_ns = later_ms * MS,
        .line_limit = LINE_LIMIT,
        .answer_limit = ANSWER_LIMIT,
    };

    return helper_new(&spec, NULL);
}

#define CHILD(mode)                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        NULL, "--child", mode, NULL                                                                \
    }

/* Until an answer is there, or none is awaited any more. */
static bool get_answer(struct helper *helper, struct raw_text *answer)
{
    int64_t until = thread_clock_ns() + 30000 * MS;
    bool got;

    while (!(got = helper_poll(helper, answer)) && helper_is_busy(helper)) {
        assert_true(thread_clock_ns() < until);
        helper_wait(&helper, 1, NULL, thread_clock_ns() + 100 * MS);
    }
    return got;
}

static void expect_answer(struct helper *helper, const char *request, const char *expected)
{
    struct raw_text answer;

    assert_true(helper_ask(helper, request));
    if (!get_answer(helper, &answer))
        fail_msg("no answer: %s", helper_status(helper).why.text);
    assert_true(raw_equal_string(answer, expected));
}

/* The helper fails, and says so in words that contain `why` and the time of the next try. */
static void expect_failure(struct helper *helper, const char *why)
{
    struct raw_text answer;

    assert_true(helper_ask(helper, "request"));
    assert_false(get_answer(helper, &answer));
    struct helper_status status = helper_status(helper);

    assert_int_equal(status.state, HELPER_FAILED);
    assert_int_equal(status.process_id, 0);
    if (!strstr(status.why.text, why) || !strstr(status.why.text, ", next try in "))
        fail_msg("\"%s\" does not say \"%s\"", status.why.text, why);
    assert_true(status.retry_at_ns > thread_clock_ns());
    assert_false(helper_ask(helper, "request"));
}

static bool is_alive(int64_t pid)
{
    char path[64], content[512] = "";

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    size_t got = fread(content, 1, sizeof content - 1, file);

    fclose(file);
    content[got] = '\0';
    const char *after_name = strrchr(content, ')');

    return after_name && after_name[2] != 'Z' && after_name[2] != 'X';
}

static void expect_gone(int64_t pid)
{
    int64_t until = thread_clock_ns() + 10000 * MS;

    while (is_alive(pid)) {
        assert_true(thread_clock_ns() < until);
        thread_sleep_until(thread_clock_ns() + 5 * MS);
    }
}

static void test_answers(void **state)
{
    struct helper *helper = new_helper(CHILD("echo"), 20000, 10000);

    (void)state;
    assert_int_equal(helper_status(helper).state, HELPER_OFF);
    assert_true(helper_ask(helper, "one"));
    assert_int_equal(helper_status(helper).state, HELPER_STARTING);
    assert_true(helper_is_busy(helper));
    assert_false(helper_ask(helper, "busy"));

    struct raw_text answer;

    assert_true(get_answer(helper, &answer));
    assert_true(raw_equal_string(answer, "got one\n"));
    int64_t pid = helper_status(helper).process_id;

    for (int i = 0; i < 50; i++)
        expect_answer(helper, "again and again", "got again and again\n");
    /* One line only: what stands behind a line end is no request of its own. */
    expect_answer(helper, "two\nthree", "got two\n");
    struct helper_status status = helper_status(helper);

    assert_int_equal(status.state, HELPER_OK);
    assert_int_equal(status.restarts, 0);
    assert_int_equal(status.process_id, pid);
    assert_true(status.answer_ns > 0);
    assert_string_equal(status.why.text, "");
    helper_free(&helper);
    assert_null(helper);
    expect_gone(pid);
}

/* More than a pipe holds (64 KiB), in both directions. */
static void test_long_request_and_answer(void **state)
{
    struct helper *helper = new_helper(CHILD("count"), 20000, 10000);
    size_t length = 300000;
    char *request = malloc(length + 1);
    struct raw_text answer;

    (void)state;
    memset(request, 'r', length);
    request[length] = '\0';
    assert_true(helper_ask(helper, request));
    assert_true(get_answer(helper, &answer));
    assert_true(raw_equal_string(answer, "300000\n"));
    free(request);
    expect_answer(helper, "short", "5\n");
    helper_free(&helper);

    helper = new_helper(CHILD("long"), 20000, 10000);
    assert_true(helper_ask(helper, "x"));
    assert_true(get_answer(helper, &answer));
    assert_int_equal(answer.length, 99000);
    helper_free(&helper);
}

static void test_failures(void **state)
{
    static const struct {
        const char *mode, *why;
    } cases[] = {
        {"crash", "killed by signal 11 (SIGSEGV), next try in 5 s"},
        {"abort", "killed by signal 6 (SIGABRT)"},
        {"crash-middle", "killed by signal 11 (SIGSEGV)"},
        {"exit", "ended by itself with exit status 7"},
        {"grandchild", "ended by itself with exit status 3"},
        {"flood", "line of more than 1000 bytes"},
        {"flood-lines", "answer of more than 100000 bytes"},
        {"twice", "went on after the end"},
        {"close", "closed its output"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct helper *helper = new_helper(CHILD(cases[i].mode), 20000, 10000);

        expect_failure(helper, cases[i].why);
        helper_free(&helper);
    }
}

static void test_hangs(void **state)
{
    static const char *const modes[] = {"hang", "deaf", "stop", "half-hang", "no-reading"};

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct helper *helper = new_helper(CHILD(modes[i]), 300, 300);

        int64_t began = thread_clock_ns();
        assert_true(helper_ask(helper, "request"));
        int64_t pid = helper_status(helper).process_id;
        struct raw_text answer;

        assert_false(get_answer(helper, &answer));
        assert_true(thread_clock_ns() - began >= 290 * MS);
        struct helper_status status = helper_status(helper);

        assert_int_equal(status.state, HELPER_FAILED);
        assert_non_null(strstr(status.why.text, "did not answer within 0.3 s"));
        expect_gone(pid);
        helper_poll(helper, &answer);
        for (int tries = 0; tries < 3000 && helper_status(helper).left_behind; tries++) {
            thread_sleep_until(thread_clock_ns() + 10 * MS);
            helper_poll(helper, &answer);
        }
        assert_int_equal(helper_status(helper).left_behind, 0);
        helper_free(&helper);
    }
}

/* The first answer may take its time, later ones may not, and say so first. */
static void test_later_bound(void **state)
{
    struct helper *helper = new_helper(CHILD("hang-later"), 20000, 400);
    struct raw_text answer;
    bool was_stale = false;

    (void)state;
    expect_answer(helper, "one", "got one\n");
    assert_true(helper_ask(helper, "two"));
    int64_t began = thread_clock_ns();

    while (helper_is_busy(helper)) {
        helper_wait(&helper, 1, NULL, thread_clock_ns() + 20 * MS);
        assert_false(helper_poll(helper, &answer));
        struct helper_status status = helper_status(helper);

        was_stale |= status.state == HELPER_STALE && strstr(status.why.text, "has not answered");
        assert_true(thread_clock_ns() - began < 20000 * MS);
    }
    assert_true(was_stale);
    assert_non_null(strstr(helper_status(helper).why.text, "did not answer within 0.4 s"));
    helper_free(&helper);
}

static void test_half_lines(void **state)
{
    struct helper *helper = new_helper(CHILD("half"), 20000, 10000);

    (void)state;
    expect_answer(helper, "x", "partial line\n");
    helper_free(&helper);
}

static void test_ends_while_idle(void **state)
{
    struct helper *helper = new_helper(CHILD("answer-exit"), 20000, 10000);
    struct raw_text answer;

    (void)state;
    expect_answer(helper, "x", "last words\n");
    int64_t until = thread_clock_ns() + 10000 * MS;

    while (helper_status(helper).state == HELPER_OK && thread_clock_ns() < until) {
        helper_wait(&helper, 1, NULL, until);
        assert_false(helper_poll(helper, &answer));
    }
    assert_non_null(strstr(helper_status(helper).why.text, "ended by itself with exit status 4"));
    helper_free(&helper);
}

/* A line, or a whole answer, that nobody asked for would be taken for that to the next request. */
static void test_speaks_unasked(void **state)
{
    static const char *const modes[] = {"unasked", "unasked-end"};

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct helper *helper = new_helper(CHILD(modes[i]), 20000, 10000);
        int64_t until = thread_clock_ns() + 10000 * MS;
        struct raw_text answer;

        expect_answer(helper, "x", "got x\n");
        while (helper_status(helper).state == HELPER_OK && thread_clock_ns() < until) {
            helper_wait(&helper, 1, NULL, until);
            assert_false(helper_poll(helper, &answer));
        }
        assert_non_null(strstr(helper_status(helper).why.text, "spoke without being asked"));
        helper_free(&helper);
    }
}

/* It has gone before the request is written: no SIGPIPE for us. */
static void test_request_to_the_dead(void **state)
{
    struct helper *helper = new_helper(CHILD("answer-exit"), 20000, 10000);
    struct raw_text answer;

    (void)state;
    expect_answer(helper, "x", "last words\n");
    expect_gone(helper_status(helper).process_id);
    assert_true(helper_ask(helper, "y"));
    assert_false(get_answer(helper, &answer));
    assert_non_null(strstr(helper_status(helper).why.text, "exit status 4"));
    helper_free(&helper);
}

/* Killed from outside, it comes back after the back-off of 5 s. */
static void test_comes_back(void **state)
{
    struct helper *helper = new_helper(CHILD("echo"), 20000, 10000);
    struct raw_text answer;
    int64_t until = thread_clock_ns() + 20000 * MS;

    (void)state;
    expect_answer(helper, "one", "got one\n");
    kill((pid_t)helper_status(helper).process_id, SIGKILL);
    while (helper_status(helper).state == HELPER_OK && thread_clock_ns() < until) {
        helper_wait(&helper, 1, NULL, until);
        helper_poll(helper, &answer);
    }
    int64_t failed = thread_clock_ns();

    assert_non_null(strstr(helper_status(helper).why.text, "killed by signal 9 (SIGKILL)"));
    while (!helper_ask(helper, "two")) {
        assert_true(thread_clock_ns() < until);
        thread_sleep_until(thread_clock_ns() + 50 * MS);
    }
    assert_true(thread_clock_ns() - failed >= 4900 * MS);
    assert_true(get_answer(helper, &answer));
    assert_true(raw_equal_string(answer, "got two\n"));
    assert_int_equal(helper_status(helper).restarts, 1);
    helper_free(&helper);
}

static void test_stop(void **state)
{
    struct helper *helper = new_helper(CHILD("slow-exit"), 20000, 10000);

    (void)state;
    expect_answer(helper, "one", "got one\n");
    int64_t pid = helper_status(helper).process_id;

    helper_stop(helper, 20000 * MS); /* it ends by itself at the end of its input */
    assert_false(is_alive(pid));
    assert_int_equal(helper_status(helper).state, HELPER_OFF);
    expect_answer(helper, "two", "got two\n");
    helper_free(&helper);

    helper = new_helper(CHILD("hang"), 20000, 10000);
    helper_ask(helper, "x");
    pid = helper_status(helper).process_id;
    int64_t began = thread_clock_ns();

    helper_stop(helper, 200 * MS);
    assert_true(thread_clock_ns() - began < 2000 * MS);
    assert_int_equal(helper_status(helper).state, HELPER_OFF);
    expect_gone(pid);
    helper_free(&helper);
}

static void test_cannot_start(void **state)
{
    static const char *const argv[] = {"/nonexistent/program", NULL};
    struct helper *helper = new_helper(argv, 1000, 1000);

    (void)state;
    assert_false(helper_ask(helper, "x"));
    assert_false(helper_is_busy(helper));
    assert_int_equal(helper_status(helper).state, HELPER_FAILED);
    assert_non_null(strstr(helper_status(helper).why.text, "No such file or directory"));
    helper_free(&helper);
}

/* What the child inherits: descriptors 0 to 2 alone, no blocked or ignored signal, a process group
 * of its own; standard error leads nowhere. */
static void test_inheritance(void **state)
{
    int extra = open("/dev/zero", O_RDONLY); /* deliberately not close-on-exec */
    sigset_t blocked;

    (void)state;
    assert_true(extra >= 3);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGUSR2, SIG_IGN);
    struct helper *helper = new_helper(CHILD("inventory"), 20000, 10000);

    expect_answer(helper, "x",
                  "descriptors 0 1 2\nblocked no\nignored no\ngroup own\nstderr /dev/null\n");
    helper_free(&helper);
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
    signal(SIGUSR2, SIG_DFL);
    close(extra);
}

/* The signals of the terminal are for the program, not for its helpers. */
static void test_terminal_signals(void **state)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTSTP, SIGHUP, SIGTTIN, SIGTTOU};
    struct helper *helper = new_helper(CHILD("echo"), 20000, 10000);

    (void)state;
    expect_answer(helper, "one", "got one\n");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        kill((pid_t)helper_status(helper).process_id, numbers[i]);
    expect_answer(helper, "two", "got two\n");
    helper_free(&helper);
}

/* A helper that hangs is gone when its parent was killed without a chance to say goodbye. */
static void test_dies_with_parent(void **state)
{
    struct problem problem = {""};
    struct helper_process *parent = helper_process_start(CHILD("parent"), &problem);
    char line[64] = "";
    size_t length = 0, moved;
    int64_t until = thread_clock_ns() + 20000 * MS;

    (void)state;
    assert_non_null(parent);
    while (!strchr(line, '\n') && thread_clock_ns() < until) {
        struct helper_waiting waiting = {.process = parent};

        helper_door_wait(&waiting, 1, NULL, until);
        helper_process_read(parent, line + length, sizeof line - 1 - length, &moved);
        length += moved;
    }
    int64_t child = strtoll(line, NULL, 10);

    assert_true(child > 1 && is_alive(child));
    kill((pid_t)helper_process_id(parent), SIGKILL);
    expect_gone(child);
    while (!helper_process_has_ended(parent, &problem))
        thread_sleep_until(thread_clock_ns() + MS);
    assert_string_equal(problem.text, "killed by signal 9 (SIGKILL)");
    helper_process_free(&parent);
}

static void test_wait_for_several(void **state)
{
    struct wake *wake = wake_new(), *own = wake_new();
    struct helper_spec spec = {"test", CHILD("echo"), 20000 * MS, 10000 * MS, 1000, 1000};
    struct helper *helpers[3] = {new_helper(CHILD("hang"), 20000, 20000), NULL,
                                 helper_new(&spec, own)};
    struct raw_text answer;
    int64_t began = thread_clock_ns();

    (void)state;
    helper_ask(helpers[0], "x");
    helper_ask(helpers[2], "y");
    do
        helper_wait(helpers, 3, wake, INT64_MAX);
    while (!helper_poll(helpers[2], &answer));
    assert_true(raw_equal_string(answer, "got y\n"));
    assert_true(wake_wait(own, 0));
    wake_signal(wake);
    helper_wait(helpers, 3, wake, INT64_MAX);
    wake_clear(wake);
    int64_t before = thread_clock_ns();

    helper_wait(helpers, 3, wake, before + 30 * MS);
    assert_true(thread_clock_ns() - before >= 30 * MS);
    assert_true(thread_clock_ns() - began < 20000 * MS);
    helper_free(&helpers[0]);
    helper_free(&helpers[2]);
    wake_free(&wake);
    wake_free(&own);
}

static _Noreturn void child_crash(int number)
{
    signal(number, SIG_DFL);
    raise(number);
    exit(99);
}

static _Noreturn void child_hang(void)
{
    for (;;)
        pause();
}

static void child_say(const char *words)
{
    fputs(words, stdout);
    fflush(stdout);
}

static void child_pause_ms(int64_t milliseconds)
{
    thread_sleep_until(thread_clock_ns() + milliseconds * MS);
}

static void child_inventory(void)
{
    DIR *folder = opendir("/proc/self/fd");
    sigset_t blocked;
    struct sigaction action;
    char link[64] = "";
    struct dirent *entry;

    printf("descriptors");
    for (int number = 0; number < 1000; number++) {
        rewinddir(folder);
        while ((entry = readdir(folder)))
            if (entry->d_name[0] != '.' && atoi(entry->d_name) == number && number != dirfd(folder))
                printf(" %d", number);
    }
    closedir(folder);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigaction(SIGUSR2, NULL, &action);
    printf("\nblocked %s\n", sigismember(&blocked, SIGUSR1) ? "yes" : "no");
    printf("ignored %s\n", action.sa_handler == SIG_IGN ? "yes" : "no");
    printf("group %s\n", getpgrp() == getpid() ? "own" : "shared");
    if (readlink("/proc/self/fd/2", link, sizeof link - 1) > 0)
        printf("stderr %s\n", link);
    child_say("end\n");
}

static void child_parent(void)
{
    struct helper *helper = new_helper(CHILD("hang"), 60000, 60000);

    helper_ask(helper, "x");
    child_pause_ms(300); /* until it is in helper_become(), and hangs */
    printf("%lld\n", (long long)helper_status(helper).process_id);
    fflush(stdout);
    child_hang();
}

/* What is done before any request is read. */
static void child_before(const char *mode)
{
    if (!strcmp(mode, "exit"))
        exit(7);
    if (!strcmp(mode, "no-reading"))
        child_hang();
    if (!strcmp(mode, "parent"))
        child_parent();
    if (!strcmp(mode, "deaf"))
        signal(SIGTERM, SIG_IGN);
    if (!strcmp(mode, "flood"))
        for (;;)
            fputs("floodfloodfloodflood", stdout);
    if (!strcmp(mode, "flood-lines"))
        for (;;)
            fputs("flood\n", stdout);
}

static void child_answer(const char *mode, const char *request, int number)
{
    if (!strcmp(mode, "crash"))
        child_crash(SIGSEGV);
    if (!strcmp(mode, "abort"))
        child_crash(SIGABRT);
    if (!strcmp(mode, "crash-middle")) {
        child_say("adapter one\nadapter tw");
        child_crash(SIGSEGV);
    }
    if (!strcmp(mode, "grandchild")) {
        /* It holds the pipe open when its parent has ended. */
        if (system("sleep 60 &") == 0)
            exit(3);
    }
    if (!strcmp(mode, "hang") || !strcmp(mode, "deaf") || (!strcmp(mode, "hang-later") && number))
        child_hang();
    if (!strcmp(mode, "stop"))
        raise(SIGSTOP);
    if (!strcmp(mode, "half-hang")) {
        child_say("first\nsec");
        child_hang();
    }
    if (!strcmp(mode, "close")) {
        fclose(stdout);
        child_hang();
    }
    if (!strcmp(mode, "twice"))
        child_say("one\nend\ntwo\nend\n");
    if (!strcmp(mode, "inventory"))
        child_inventory();
    if (!strcmp(mode, "half")) {
        child_say("par");
        child_pause_ms(30);
        child_say("tial line\nen");
        child_pause_ms(30);
        child_say("d\n");
    }
    if (!strcmp(mode, "long"))
        for (int i = 0; i < 1000; i++)
            printf("%098d\n", i);
    if (!strcmp(mode, "long"))
        child_say("end\n");
    if (!strcmp(mode, "answer-exit")) {
        child_say("last words\nend\n");
        exit(4);
    }
    if (!strcmp(mode, "count"))
        printf("%zu\nend\n", strlen(request));
    if (!strcmp(mode, "echo") || !strcmp(mode, "hang-later") || !strcmp(mode, "slow-exit") ||
        !strcmp(mode, "unasked") || !strcmp(mode, "unasked-end"))
        printf("got %s\nend\n", request);
    fflush(stdout);
    if (!strcmp(mode, "unasked")) {
        child_pause_ms(100);
        child_say("and another thing\n");
    }
    if (!strcmp(mode, "unasked-end")) {
        child_pause_ms(100);
        child_say("and another thing\nend\n");
    }
}

static int child_main(const char *mode)
{
    static char request[400000];

    helper_become();
    child_before(mode);
    for (int number = 0; helper_read_request(request, sizeof request); number++)
        child_answer(mode, request, number);
    if (!strcmp(mode, "slow-exit"))
        child_pause_ms(50);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--child"))
        return child_main(argv[2]);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_long_request_and_answer),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_hangs),
        cmocka_unit_test(test_later_bound),
        cmocka_unit_test(test_half_lines),
        cmocka_unit_test(test_ends_while_idle),
        cmocka_unit_test(test_speaks_unasked),
        cmocka_unit_test(test_request_to_the_dead),
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_cannot_start),
        cmocka_unit_test(test_inheritance),
        cmocka_unit_test(test_terminal_signals),
        cmocka_unit_test(test_dies_with_parent),
        cmocka_unit_test(test_wait_for_several),
    };

    return cmocka_run_group_tests_name("helper", tests, NULL, NULL);
}

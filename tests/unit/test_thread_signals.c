/* Which signals reach the threads that this program starts. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/thread.h"

static void note_mask(void *context)
{
    pthread_sigmask(SIG_BLOCK, NULL, context);
}

static void test_threads_block_signals(void **state)
{
    static const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, SIGPIPE};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t seen, before, after;

    (void)state;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    struct thread *thread = thread_start("a name longer than fifteen", note_mask, &seen);

    thread_join(&thread);
    for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i++)
        assert_true(sigismember(&seen, blocked[i]));
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        assert_false(sigismember(&seen, faults[i]));
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_block_signals)};

    return cmocka_run_group_tests_name("thread_signals", tests, NULL, NULL);
}

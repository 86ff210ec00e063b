#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mailbox.h"
#include "base/reference.h"
#include "base/thread.h"

#define MS INT64_C(1000000)

enum { COUNTS = 20000 };

struct shared {
    struct lock *lock;
    struct condition *condition;
    int count;
    bool stop;
    struct mailbox *mailbox;
    struct reference reference;
};

static void count_up(void *context)
{
    struct shared *shared = context;

    for (int i = 0; i < COUNTS; i++) {
        lock_enter(shared->lock);
        shared->count++;
        condition_signal_all(shared->condition);
        lock_leave(shared->lock);
    }
}

static void test_lock_and_condition(void **state)
{
    struct shared shared = {.lock = lock_new(), .condition = condition_new()};
    struct thread *threads[3];

    (void)state;
    for (int i = 0; i < 3; i++)
        threads[i] = thread_start("counter", count_up, &shared);
    lock_enter(shared.lock);
    while (shared.count < 3 * COUNTS)
        condition_wait(shared.condition, shared.lock, INT64_MAX);
    lock_leave(shared.lock);
    for (int i = 0; i < 3; i++) {
        thread_join(&threads[i]);
        assert_null(threads[i]);
    }
    assert_int_equal(shared.count, 3 * COUNTS);
    lock_free(&shared.lock);
    condition_free(&shared.condition);
}

static void test_deadlines(void **state)
{
    struct lock *lock = lock_new();
    struct condition *condition = condition_new();
    int64_t began = thread_clock_ns();

    (void)state;
    lock_enter(lock);
    while (condition_wait(condition, lock, began + 30 * MS)) {
    }
    assert_true(thread_clock_ns() - began >= 30 * MS);
    assert_false(condition_wait(condition, lock, began)); /* long past */
    assert_false(condition_wait(condition, lock, -1));
    lock_leave(lock);
    int64_t until = thread_clock_ns() + 20 * MS;

    thread_sleep_until(until);
    assert_true(thread_clock_ns() >= until);
    thread_sleep_until(0);
    assert_true(thread_clock_ns() - began < 5000 * MS);
    condition_free(&condition);
    lock_free(&lock);
}

struct item {
    int number;
    struct shared *shared;
};

static void discard(void *item)
{
    struct item *old = item;

    lock_enter(old->shared->lock);
    old->shared->count++;
    lock_leave(old->shared->lock);
    free(old);
}

static void put_items(void *context)
{
    struct shared *shared = context;

    for (int i = 1; i <= COUNTS; i++) {
        struct item *item = malloc(sizeof *item);

        *item = (struct item){i, shared};
        mailbox_put(shared->mailbox, item);
    }
}

/* Each item is either taken once or discarded once, the newest last. */
static void test_mailbox(void **state)
{
    struct shared shared = {.lock = lock_new(), .mailbox = mailbox_new(discard)};
    struct thread *thread = thread_start("putter", put_items, &shared);
    int last = 0, taken = 0;

    (void)state;
    while (last < COUNTS) {
        struct item *item = mailbox_take(shared.mailbox);

        if (!item)
            continue;
        assert_true(item->number > last);
        last = item->number;
        taken++;
        free(item);
    }
    thread_join(&thread);
    assert_null(mailbox_take(shared.mailbox));
    assert_int_equal(taken + shared.count, COUNTS);
    struct item *rest = malloc(sizeof *rest);

    *rest = (struct item){1, &shared};
    mailbox_put(shared.mailbox, rest);
    mailbox_free(&shared.mailbox);
    assert_int_equal(taken + shared.count, COUNTS + 1);
    lock_free(&shared.lock);
}

static void run_until_stopped(void *context)
{
    struct shared *shared = context;

    lock_enter(shared->lock);
    while (!shared->stop)
        condition_wait(shared->condition, shared->lock, INT64_MAX);
    shared->count = 1;
    condition_signal_all(shared->condition);
    lock_leave(shared->lock);
}

static void test_abandoned_thread_runs_on(void **state)
{
    /* Static, as what an abandoned thread uses must never go away. */
    static struct shared shared;

    (void)state;
    shared.lock = lock_new();
    shared.condition = condition_new();
    struct thread *thread = thread_start("stuck", run_until_stopped, &shared);

    thread_abandon(&thread);
    assert_null(thread);
    lock_enter(shared.lock);
    shared.stop = true;
    condition_signal_all(shared.condition);
    while (!shared.count)
        condition_wait(shared.condition, shared.lock, INT64_MAX);
    lock_leave(shared.lock);
}

static void drop_many(void *context)
{
    struct shared *shared = context;

    for (int i = 0; i < COUNTS; i++) {
        reference_take(&shared->reference);
        if (reference_drop(&shared->reference))
            abort();
    }
}

static void test_reference(void **state)
{
    struct shared shared = {0};

    (void)state;
    reference_start(&shared.reference);
    struct thread *one = thread_start("one", drop_many, &shared);
    struct thread *two = thread_start("two", drop_many, &shared);

    thread_join(&one);
    thread_join(&two);
    assert_true(reference_drop(&shared.reference));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock_and_condition),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_mailbox),
        cmocka_unit_test(test_abandoned_thread_runs_on),
        cmocka_unit_test(test_reference),
    };

    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}

/* Waiting by select(2), as on macOS, tells what poll(2) tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/select.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/ready_door.h"
#include "base/thread.h"

static void what_is_ready(void **state)
{
    int empty[2], full[2];
    (void)state;
    assert_true(pipe(empty) == 0 && pipe(full) == 0);
    assert_int_equal(write(full[1], "x", 1), 1);
    struct pollfd polled[] = {{.fd = empty[0], .events = POLLIN},
                              {.fd = full[0], .events = POLLIN},
                              {.fd = -1, .events = POLLIN},
                              {.fd = empty[1], .events = POLLOUT}};
    assert_int_equal(ready_poll_by_select(polled, 4, 1000), 2);
    assert_int_equal(polled[0].revents, 0);
    assert_int_equal(polled[1].revents, POLLIN);
    assert_int_equal(polled[2].revents, 0);
    assert_int_equal(polled[3].revents, POLLOUT);
    assert_int_equal(ready_poll_by_select(polled, 1, 0), 0);
    int64_t before = thread_clock_ns();
    assert_int_equal(ready_poll_by_select(polled, 1, 30), 0);
    assert_true(thread_clock_ns() - before >= 29000000);
    close(empty[1]);
    assert_int_equal(ready_poll_by_select(polled, 1, -1), 1); /* its end is something to read */
    assert_true(polled[0].revents & POLLIN);
    close(empty[0]);
    close(full[0]);
    close(full[1]);
}

static void what_cannot_be_waited_for(void **state)
{
    int closed[2];
    (void)state;
    assert_int_equal(pipe(closed), 0);
    close(closed[0]);
    close(closed[1]);
    struct pollfd polled[] = {{.fd = closed[0], .events = POLLIN},
                              {.fd = FD_SETSIZE + 1, .events = POLLIN}};
    assert_int_equal(ready_poll_by_select(polled, 1, -1), 1);
    assert_int_equal(polled[0].revents, POLLNVAL);
    assert_int_equal(ready_poll_by_select(polled + 1, 1, -1), 1);
    assert_int_equal(polled[1].revents, POLLNVAL);
    assert_int_equal(ready_poll_by_select(NULL, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_ready),
        cmocka_unit_test(what_cannot_be_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* For how long a client is left out for which the kernel was slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/drm/slow_clients.h"

#define MS INT64_C(1000000)

static struct slow_client client(int64_t pid, uint64_t stamp, int32_t fd)
{
    return (struct slow_client){identity_make(NAMESPACE_LOCAL, pid, stamp), fd};
}

static void test_rests(void **state)
{
    (void)state;
    static const struct {
        int64_t took_ms, rest_ms; /* 0: not left out */
    } cases[] = {{1, 0}, {20, 0}, {21, 2000}, {100, 5000}, {1199, 59950}, {5000, 60000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct slow_clients slow = {0};
        int64_t began = 7 * MS, ended = began + cases[i].took_ms * MS;
        slow_clients_note(&slow, client(1, 2, 3), began, ended);
        assert_int_equal(slow_clients_is_left_out(&slow, client(1, 2, 3), ended),
                         cases[i].rest_ms > 0);
        if (cases[i].rest_ms > 0) {
            int64_t until = ended + cases[i].rest_ms * MS;
            assert_true(slow_clients_is_left_out(&slow, client(1, 2, 3), until - 1));
            assert_false(slow_clients_is_left_out(&slow, client(1, 2, 3), until));
        }
    }
}

static void test_others_are_read(void **state)
{
    (void)state;
    struct slow_clients slow = {0};
    slow_clients_note(&slow, client(10, 5, 7), 0, 300 * MS);
    assert_true(slow_clients_is_left_out(&slow, client(10, 5, 7), 301 * MS));
    assert_false(slow_clients_is_left_out(&slow, client(10, 5, 8), 301 * MS));
    assert_false(slow_clients_is_left_out(&slow, client(11, 5, 7), 301 * MS));
    assert_false(slow_clients_is_left_out(&slow, client(10, 6, 7), 301 * MS)); /* a reused pid */
}

/* More clients than places: the one whose rest ends first makes room. */
static void test_many(void **state)
{
    (void)state;
    struct slow_clients slow = {0};
    for (int32_t i = 0; i <= SLOW_CLIENTS_MAX; i++) {
        slow_clients_note(&slow, client(i + 1, 1, 1), i * MS, (i + 1000) * MS);
    }
    int64_t now = 2000 * MS;
    assert_false(slow_clients_is_left_out(&slow, client(1, 1, 1), now));
    assert_true(slow_clients_is_left_out(&slow, client(2, 1, 1), now));
    assert_true(slow_clients_is_left_out(&slow, client(SLOW_CLIENTS_MAX + 1, 1, 1), now));
    slow_clients_note(&slow, client(2, 1, 1), now, now + 100 * MS);
    assert_true(slow_clients_is_left_out(&slow, client(3, 1, 1), now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_others_are_read),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

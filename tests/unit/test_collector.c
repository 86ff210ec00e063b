#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/thread.h"
#include "sampler/collector.h"

#define MS 1000000LL

static atomic_int jobs, begins;
static atomic_llong begun_ns;

static void read_system(struct machine *machine, const struct pass *pass,
                        const struct system_request *request, struct system_reading *reading)
{
    (void)machine, (void)request, (void)reading;
    if (pass->number == 7) { /* given by begin() alone */
        atomic_fetch_add(&jobs, 1);
    }
}

static enum machine_mode mode(struct machine *machine)
{
    (void)machine;
    return MODE_NATIVE;
}

static const struct machine_ops ops = {.read_system = read_system, .mode = mode};
static struct machine machine = {.ops = &ops, .system = "linux"};
static struct wake *wake;

static void begin(void *context, struct pass *pass)
{
    assert_ptr_equal(context, &machine);
    *pass = (struct pass){.number = 7};
    atomic_store(&begun_ns, thread_clock_ns());
    atomic_fetch_add(&begins, 1);
}

static struct collector_timer timer_in(int64_t ns)
{
    int64_t at_ns = thread_clock_ns() + ns;
    return (struct collector_timer){at_ns, at_ns + ns, begin, &machine};
}

static struct collector *fresh(void)
{
    atomic_store(&jobs, 0);
    atomic_store(&begins, 0);
    wake_clear(wake);
    return collector_new(&machine, NULL, 0, wake);
}

static void test_begins_by_itself(void **state)
{
    (void)state;
    struct collector *collector = fresh();
    for (int round = 1; round <= 3; round++) {
        const struct collector_timer timer = timer_in(20 * MS);
        assert_true(collector_arm(collector, &timer, NULL, 0));
        assert_true(wake_wait(wake, thread_clock_ns() + 10000 * MS));
        wake_clear(wake);
        assert_false(collector_disarm(collector));
        assert_int_equal(atomic_load(&begins), round);
        assert_int_equal(atomic_load(&jobs), round);
        assert_true(atomic_load(&begun_ns) >= timer.at_ns);
        struct collection *collection = collector_take(collector);
        assert_non_null(collection);
        collector_return(collector, collection);
    }
    assert_true(collector_close(&collector, 1000 * MS));
}

static void test_is_taken_back(void **state)
{
    (void)state;
    struct collector *collector = fresh();
    struct collector_timer timer = timer_in(3600000 * MS);
    assert_true(collector_arm(collector, &timer, NULL, 0));
    assert_true(collector_disarm(collector));
    /* Sooner than the thread would look by itself. */
    timer = timer_in(10 * MS);
    assert_true(collector_arm(collector, &timer, NULL, 0));
    assert_true(wake_wait(wake, thread_clock_ns() + 10000 * MS));
    assert_false(collector_disarm(collector));
    assert_int_equal(atomic_load(&begins), 1);
    /* Taken back, it can be kicked, and closed while armed. */
    const struct pass pass = {.number = 7};
    wake_clear(wake);
    assert_true(collector_kick(collector, COLLECT_ALL, &pass, NULL, 0));
    assert_true(wake_wait(wake, thread_clock_ns() + 10000 * MS));
    assert_int_equal(atomic_load(&jobs), 2);
    timer = timer_in(3600000 * MS);
    assert_true(collector_arm(collector, &timer, NULL, 0));
    assert_true(collector_close(&collector, 1000 * MS));
    assert_int_equal(atomic_load(&begins), 1);
}

static int set_up(void **state)
{
    (void)state;
    wake = wake_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wake_free(&wake);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_by_itself),
        cmocka_unit_test(test_is_taken_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

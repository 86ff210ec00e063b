#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/replay_wishes.h"

/* What is asked for in turn, and what is left to do. */
static const struct {
    struct replay_wish asked[4];
    size_t asked_count;
    struct replay_wish left[4];
    size_t left_count;
} asked_cases[] = {
    {{{AIM_STEP, 1, 0}, {AIM_STEP, 1, 0}, {AIM_STEP, 1, 0}}, 3, {{AIM_STEP, 3, 0}}, 1},
    {{{AIM_STEP, 1, 0}, {AIM_STEP, -1, 0}}, 2, {{AIM_STEP, 0, 0}}, 1},
    {{{AIM_BY, 0, 60}, {AIM_STEP, 1, 0}, {AIM_STEP, 1, 0}},
     3,
     {{AIM_BY, 0, 60}, {AIM_STEP, 2, 0}},
     2},
    {{{AIM_WALL, 0, 7}, {AIM_STEP, 1, 0}}, 2, {{AIM_WALL, 0, 7}, {AIM_STEP, 1, 0}}, 2},
    {{{AIM_STEP, 5, 0}, {AIM_EVENT, 1, 0}, {AIM_WALL, 0, 7}}, 3, {{AIM_WALL, 0, 7}}, 1},
    {{{AIM_WALL, 0, 7}, {AIM_WALL, 0, 9}}, 2, {{AIM_WALL, 0, 9}}, 1},
    {{{AIM_BY, 0, INT64_MAX}, {AIM_BY, 0, 1}}, 2, {{AIM_BY, 0, INT64_MAX}}, 1},
    {{{AIM_EVENT, 1000000, 0}, {AIM_EVENT, 1, 0}}, 2, {{AIM_EVENT, 1000000, 0}}, 1},
};

/* What was taken, what is asked for before it is put back, and what is left to do. */
static const struct {
    struct replay_wish taken, meanwhile, left[2];
    size_t left_count;
} put_back_cases[] = {
    {{AIM_STEP, 1, 0}, {AIM_STEP, 1, 0}, {{AIM_STEP, 2, 0}}, 1},
    {{AIM_WALL, 0, 7}, {AIM_STEP, 1, 0}, {{AIM_WALL, 0, 7}, {AIM_STEP, 1, 0}}, 2},
    {{AIM_EVENT, 1, 0}, {AIM_WALL, 0, 7}, {{AIM_WALL, 0, 7}}, 1},
};

static void expect(struct replay_wishes *wishes, const struct replay_wish *left, size_t count)
{
    struct replay_wish wish;
    for (size_t i = 0; i < count; i++) {
        assert_true(replay_wishes_take(wishes, &wish));
        assert_int_equal(wish.aim, left[i].aim);
        assert_int_equal(wish.count, left[i].count);
        assert_int_equal(wish.time_ns, left[i].time_ns);
    }
    assert_false(replay_wishes_take(wishes, &wish));
}

static void test_asked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof asked_cases / sizeof asked_cases[0]; i++) {
        struct replay_wishes wishes = {.count = 0};
        for (size_t j = 0; j < asked_cases[i].asked_count; j++) {
            replay_wishes_add(&wishes, &asked_cases[i].asked[j]);
        }
        expect(&wishes, asked_cases[i].left, asked_cases[i].left_count);
    }
}

static void test_put_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof put_back_cases / sizeof put_back_cases[0]; i++) {
        struct replay_wishes wishes = {.count = 0};
        struct replay_wish taken;
        replay_wishes_add(&wishes, &put_back_cases[i].taken);
        assert_true(replay_wishes_take(&wishes, &taken));
        replay_wishes_add(&wishes, &put_back_cases[i].meanwhile);
        replay_wishes_put_back(&wishes, &taken);
        expect(&wishes, put_back_cases[i].left, put_back_cases[i].left_count);
    }
}

static void test_bound(void **state)
{
    (void)state;
    struct replay_wishes wishes = {.count = 0};
    struct replay_wish wish;
    for (int i = 0; i < 3 * REPLAY_WISHES_MAX; i++) {
        wish = (struct replay_wish){i % 2 ? AIM_STEP : AIM_EVENT, 1, 0};
        replay_wishes_add(&wishes, &wish);
    }
    assert_int_equal(wishes.count, REPLAY_WISHES_MAX);
    wish = (struct replay_wish){AIM_BY, 0, 5};
    replay_wishes_put_back(&wishes, &wish);
    assert_int_equal(wishes.count, REPLAY_WISHES_MAX);
    assert_true(replay_wishes_take(&wishes, &wish));
    assert_int_equal(wish.aim, AIM_BY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asked),
        cmocka_unit_test(test_put_back),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

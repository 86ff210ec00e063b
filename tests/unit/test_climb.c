#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "timeline/climb.h"

/* A series of MiB over minutes; `random` is in [-1, 1] and another one at each call. */
struct noise {
    uint64_t state;
};

static double next_random(struct noise *noise)
{
    noise->state = noise->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(int32_t)(noise->state >> 32) / 2147483648.0;
}

static double ramp(double t, double begin, double end, double low, double high)
{
    double share = t <= begin ? 0 : t >= end ? 1 : (t - begin) / (end - begin);
    return low + share * (high - low);
}

static double flat(double t, struct noise *noise)
{
    (void)t;
    (void)noise;
    return 8000;
}

static double noisy(double t, struct noise *noise)
{
    (void)t;
    return 8000 + 500 * next_random(noise);
}

/* A minute up, then all given back. */
static double short_sawtooth(double t, struct noise *noise)
{
    return 3000 + 2000 * fmod(t, 1) + 20 * next_random(noise);
}

static double five_minute_sawtooth(double t, struct noise *noise)
{
    return 3000 + 2000 * fmod(t, 5) / 5 + 20 * next_random(noise);
}

/* Requests of 5 to 8 minutes whose KV cache grows with every token and is given back at the end. */
static double kv_cache(double t, struct noise *noise)
{
    double cycle = 5 + 3 * fabs(sin(floor(t / 8)));
    return 14000 + 1500 * fmod(fmod(t, 8), cycle) / cycle + 10 * next_random(noise);
}

/* Fills once, over eight minutes, and stays. */
static double kv_fills_once(double t, struct noise *noise)
{
    return ramp(t, 5, 13, 14000, 18000) + 10 * next_random(noise);
}

static double loading(double t, struct noise *noise)
{
    (void)noise;
    return ramp(t, 2, 10, 400, 40000);
}

/* Five models, one after the other, then nothing for hours. */
static double staircase(double t, struct noise *noise)
{
    double steps = floor(t / 3);
    return 2000 + 4000 * (steps > 5 ? 5 : steps) + 5 * next_random(noise);
}

/* A stair an hour all day: stages, each of which stays flat. */
static double slow_staircase(double t, struct noise *noise)
{
    return 2000 + 700 * floor(t / 60 / 3) + 5 * next_random(noise);
}

/* What many users take and give back: it wanders and comes back. */
static double wandering(double t, struct noise *noise)
{
    double sum = 0;
    for (int wave = 1; wave <= 6; wave++) {
        sum += sin(t / (0.9 * wave) + wave * wave);
    }
    return 9000 + 120 * sum + 60 * next_random(noise);
}

static double coming_down(double t, struct noise *noise)
{
    return 20000 - 10 * t + 50 * next_random(noise);
}

static double leak_fast(double t, struct noise *noise)
{
    return 3000 + 60 * t + 100 * next_random(noise);
}

static double leak_noisy(double t, struct noise *noise)
{
    return 3000 + 8 * t + 300 * next_random(noise);
}

static double leak_slow(double t, struct noise *noise)
{
    return 3000 + 0.5 * t + 40 * next_random(noise);
}

static double leak_under_sawtooth(double t, struct noise *noise)
{
    return 3000 + 12 * t + 1500 * fmod(t, 0.7) + 20 * next_random(noise);
}

/* 40 MiB lost at each epoch of four minutes. */
static double leak_in_stairs(double t, struct noise *noise)
{
    return 3000 + 40 * floor(t / 4) + 5 * next_random(noise);
}

/* Nothing for five hours, then it begins. */
static double leak_late(double t, struct noise *noise)
{
    return 3000 + (t > 300 ? 15 * (t - 300) : 0) + 100 * next_random(noise);
}

static const struct {
    const char *name;
    double (*mib)(double minutes, struct noise *noise);
    double within_minutes; /* of the beginning it must be found; 0: never */
    double not_before;
} series[] = {
    {"flat", flat, 0, 0},
    {"noisy", noisy, 0, 0},
    {"a sawtooth of a minute", short_sawtooth, 0, 0},
    {"a sawtooth of five minutes", five_minute_sawtooth, 0, 0},
    {"KV caches that come and go", kv_cache, 0, 0},
    {"a KV cache that fills once", kv_fills_once, 0, 0},
    {"a model that loads for eight minutes", loading, 0, 0},
    {"a staircase, then flat", staircase, 0, 0},
    {"a stair every three hours", slow_staircase, 0, 0},
    {"what wanders and comes back", wandering, 0, 0},
    {"coming down", coming_down, 0, 0},
    {"60 MiB a minute", leak_fast, 15, 11},
    {"8 MiB a minute under 300 MiB of noise", leak_noisy, 75, 11},
    {"30 MiB an hour", leak_slow, 800, 60},
    {"12 MiB a minute under a sawtooth", leak_under_sawtooth, 75, 11},
    {"40 MiB every four minutes", leak_in_stairs, 75, 20},
    {"a leak that begins after five hours", leak_late, 420, 308},
};

/* The minute in which a climb is first told in a day; 0: never. */
static double first_told(double (*mib)(double, struct noise *), uint64_t seed, double interval)
{
    struct climb climb = {0};
    struct noise noise = {seed};
    struct climb_found found;
    for (double t = 0; t < 24 * 60; t += interval / 60) {
        if (climb_add(&climb, 1000 + t * 60, (int64_t)(mib(t, &noise) * 1048576), 0, &found)) {
            assert_true(found.rise_bytes >= CLIMB_RISE_BYTES);
            assert_true(found.seconds >= 600);
            return t;
        }
    }
    return 0;
}

static void test_series(void **state)
{
    (void)state;
    static const double intervals[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        for (size_t j = 0; j < 9; j++) {
            double interval = intervals[j % 3];
            double told = first_told(series[i].mib, 77 + j * 1000003, interval);
            bool right = series[i].within_minutes == 0
                             ? told == 0
                             : told > series[i].not_before && told <= series[i].within_minutes;
            if (!right) {
                fail_msg("%s, seed %zu, every %.0f s: told after %.0f min", series[i].name, j,
                         interval, told);
            }
        }
    }
}

/* Waves of so many minutes: what they reach is known after the first. */
static void test_long_waves(void **state)
{
    (void)state;
    static const double periods[] = {15, 40, 60, 100, 240, 480};
    for (size_t i = 0; i < 2 * sizeof periods / sizeof *periods; i++) {
        double period = periods[i / 2];
        struct climb climb = {0};
        struct noise noise = {77 + i};
        struct climb_found found;
        for (double t = 0; t < 48 * 60; t += 2.0 / 60) {
            double share = fmod(t, period) / period;
            double mib = i % 2 ? 1000 + 2000 * share : 2000 - 1000 * cos(2 * 3.14159265 * share);
            mib += 20 * next_random(&noise);
            if (climb_add(&climb, t * 60, (int64_t)(mib * 1048576), 0, &found) && t > period) {
                fail_msg("waves of %.0f minutes (%zu): told again after %.0f", period, i % 2, t);
            }
        }
    }
}

static size_t times_told(struct climb *climb, double *seconds, double from, double to)
{
    struct climb_found found;
    size_t told = 0;
    for (double mib = from; from < to ? mib < to : mib > to; mib += from < to ? 0.5 : -0.5) {
        *seconds += 2;
        told += climb_add(climb, *seconds, (int64_t)(mib * 1048576), 0, &found);
    }
    return told;
}

/* Once, again when it is twice as high, and again after most of it was given back. */
static void test_told_once(void **state)
{
    (void)state;
    struct climb climb = {0};
    double seconds = 0;
    assert_int_equal(times_told(&climb, &seconds, 1000, 1300), 1);
    assert_int_equal(times_told(&climb, &seconds, 1300, 1400), 1);
    assert_int_equal(times_told(&climb, &seconds, 1400, 1500), 0);
    assert_int_equal(times_told(&climb, &seconds, 1500, 1000), 0);
    assert_int_equal(times_told(&climb, &seconds, 1000, 1400), 0); /* not above what was before */
    assert_int_equal(times_told(&climb, &seconds, 1400, 1600), 1);
}

/* A gap, another boot, few samples: nothing is known of what lies between. */
static void test_gaps(void **state)
{
    (void)state;
    struct climb climb = {0};
    double seconds = 0;
    assert_int_equal(times_told(&climb, &seconds, 1000, 1150), 0);
    climb_restart(&climb);
    assert_int_equal(times_told(&climb, &seconds, 1150, 1300), 0);
    seconds = 0;
    assert_int_equal(times_told(&climb, &seconds, 1300, 1450), 0);
    struct climb_found found;
    struct climb rare = {0};
    for (int i = 0; i < 8 * 12; i++) {
        assert_false(climb_add(&rare, i * 3600, (1000LL + 10 * i) << 20, 0, &found));
    }
    assert_true(climb_add(&rare, 96 * 3600, 1960LL << 20, 0, &found));
}

static void test_extremes(void **state)
{
    (void)state;
    struct climb climb = {0};
    struct climb_found found;
    for (int i = 0; i < 2000; i++) {
        (void)climb_add(&climb, i * 10.0, i % 2 ? INT64_MAX : 0, INT64_MAX, &found);
        (void)climb_add(&climb, i * 10.0, INT64_MAX / 2000 * i, 0, &found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),    cmocka_unit_test(test_long_waves),
        cmocka_unit_test(test_told_once), cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which of the two energy counters of an Intel card counts, and the power it gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/drm/intel_energy.h"

#define NONE -1
#define UNKNOWN(why) -2 - REASON_##why
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* One sample: counters in microjoules (NONE: there is no such file), and what is said of them. */
struct sample {
    int64_t seconds, card, package, energy, power;
};

static struct measured counter(int64_t value)
{
    return value == NONE ? measured_unknown(REASON_not_reported) : measured_known(value);
}

static void expect(struct said said, int64_t want, const char *what, size_t at)
{
    bool right = want >= 0 ? said.how == HOW_MEASURED && said.value == want
                           : said.how == HOW_UNAVAILABLE && said.why_not == -2 - want;
    if (!right) {
        fail_msg("sample %zu, %s: want %lld, got how %d, %lld, reason %d", at, what,
                 (long long)want, said.how, (long long)said.value, (int)said.why_not);
    }
}

static void run(const struct sample *samples, size_t count)
{
    struct intel_energy energy = {0};
    for (size_t i = 0; i < count; i++) {
        struct intel_energy_said said;
        struct intel_energy_seen seen = {
            .now_ns = samples[i].seconds * 1000000000,
            .card = counter(samples[i].card),
            .package = counter(samples[i].package),
        };
        intel_energy_step(&energy, &seen, &said);
        expect(said.energy, samples[i].energy, "energy", i);
        expect(said.power, samples[i].power, "power", i);
    }
}

/* B580 on 6.16: the card's counter is always 0. */
static void test_card_never_moves(void **state)
{
    (void)state;
    static const struct sample zero[] = {
        {10, 0, 29523753173, UNKNOWN(need_two_samples), UNKNOWN(need_two_samples)},
        {12, 0, 29603753173, 29603753173, 40000000},
        {13, 0, 29613753173, 29613753173, 10000000},
    };
    static const struct sample fixed[] = {
        {10, 77, 1000, UNKNOWN(need_two_samples), UNKNOWN(need_two_samples)},
        {11, 77, 5001000, 5001000, 5000000},
    };
    run(zero, COUNT_OF(zero));
    run(fixed, COUNT_OF(fixed));
}

static void test_card_is_kept_once_it_moved(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0, 1000000, 500000, UNKNOWN(need_two_samples), UNKNOWN(need_two_samples)},
        {1, 31000000, 20500000, 31000000, 30000000},
        {2, 31000000, 40500000, 31000000, UNKNOWN(need_two_samples)},
        {4, 71000000, 60500000, 71000000, 20000000},
    };
    run(samples, COUNT_OF(samples));
}

/* i915 has one counter. It is longer than 32 bits. */
static void test_one_counter(void **state)
{
    (void)state;
    static const struct sample one[] = {
        {0, 5000000000000, NONE, 5000000000000, UNKNOWN(need_two_samples)},
        {2, 5000060000000, NONE, 5000060000000, 30000000},
    };
    static const struct sample package_alone[] = {
        {0, NONE, 9, 9, UNKNOWN(need_two_samples)},
        {1, NONE, 1000009, 1000009, 1000000},
    };
    static const struct sample stuck_at_zero[] = {
        {0, 0, NONE, UNKNOWN(need_two_samples), UNKNOWN(need_two_samples)},
        {1, 0, NONE, UNKNOWN(need_two_samples), UNKNOWN(need_two_samples)},
    };
    static const struct sample missing[] = {
        {0, NONE, NONE, UNKNOWN(not_reported), UNKNOWN(not_reported)}};
    run(one, COUNT_OF(one));
    run(package_alone, COUNT_OF(package_alone));
    run(stuck_at_zero, COUNT_OF(stuck_at_zero));
    run(missing, COUNT_OF(missing));
}

static void test_absurd(void **state)
{
    (void)state;
    static const struct sample backwards[] = {
        {0, 9000000, NONE, 9000000, UNKNOWN(need_two_samples)},
        {1, 1000000, NONE, 1000000, UNKNOWN(counter_not_monotonic)},
        {2, 3000000, NONE, 3000000, 2000000},
    };
    /* More than 2 kW. */
    static const struct sample too_much[] = {
        {0, 1, NONE, 1, UNKNOWN(need_two_samples)},
        {1, 2000000002, NONE, 2000000002, UNKNOWN(incredible_value)},
        {2, INT64_MAX, NONE, INT64_MAX, UNKNOWN(incredible_value)},
    };
    static const struct sample no_time[] = {
        {5, 1, NONE, 1, UNKNOWN(need_two_samples)},
        {5, 2, NONE, 2, UNKNOWN(need_two_samples)},
    };
    run(backwards, COUNT_OF(backwards));
    run(too_much, COUNT_OF(too_much));
    run(no_time, COUNT_OF(no_time));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_card_never_moves),
        cmocka_unit_test(test_card_is_kept_once_it_moved),
        cmocka_unit_test(test_one_counter),
        cmocka_unit_test(test_absurd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

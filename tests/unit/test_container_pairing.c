#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "container_population.h"
#include "rules/container_pairing.h"
#include "rules/pairing_order.h"

enum { RUNS = 100000, REFRESHES_MAX = 14 };

struct score {
    long matched, matched_wrong, guessed, guessed_right, outside, refreshes;
    uint64_t wrong_seed;
};

static void judge(const struct population *population, const struct pair *pairs, uint64_t seed,
                  struct score *score)
{
    for (size_t i = 0; i < population->facts.host_count; i++) {
        const struct member *owner = population_owner(population, population->facts.hosts[i].pid);
        bool right = owner && identity_equal(owner->identity, pairs[i].identity);
        if (pairs[i].mark == PAIR_MATCHED) {
            score->matched++;
            if (!right) {
                score->matched_wrong++;
                score->wrong_seed = seed;
            }
        } else if (pairs[i].mark == PAIR_GUESS) {
            score->guessed++;
            score->guessed_right += right;
        } else {
            score->outside++;
        }
    }
}

static void run(struct population *population, struct arena *arena, uint64_t seed,
                bool unrestricted, struct score *score)
{
    struct container_pairing *pairing = container_pairing_new();
    population_start(population, seed);
    population->unrestricted = unrestricted;
    int refreshes = 3 + (int)(seed % (REFRESHES_MAX - 2));
    for (int i = 0; i < refreshes; i++) {
        arena_reset(arena);
        population_step(population);
        score->refreshes++;
        judge(population, container_pairing_step(pairing, arena, &population->facts), seed, score);
    }
    container_pairing_free(&pairing);
}

static void test_a_match_is_never_wrong(void **state)
{
    struct population population;
    struct score score = {0};
    const char *more = getenv("GPUTASKMAN_TEST_RUNS");
    long runs = more ? atol(more) : RUNS;
    for (long i = 0; i < runs; i++)
        run(&population, *state, (uint64_t)i + 1, false, &score);
    print_message("# %ld runs, %ld refreshes: %ld matched (*), %ld wrong; %ld guessed (?), %.1f %% "
                  "of them right; %ld left outside\n",
                  runs, score.refreshes, score.matched, score.matched_wrong, score.guessed,
                  score.guessed ? 100.0 * (double)score.guessed_right / (double)score.guessed : 0.0,
                  score.outside);
    if (score.matched_wrong)
        print_message("# a wrong match with seed %llu\n", (unsigned long long)score.wrong_seed);
    assert_int_equal(score.matched_wrong, 0);
    assert_true(score.matched > runs);
    assert_true(score.guessed > runs / 10);
}

/* What the two cases would do that the rules cannot see: not a promise, but good to know. */
static void test_without_the_premise(void **state)
{
    struct population population;
    struct score score = {0};
    for (long i = 0; i < RUNS / 10; i++)
        run(&population, *state, (uint64_t)i + 1, true, &score);
    print_message("# without the premise: %ld matched (*), %.2f %% of them wrong; %ld guessed (?), "
                  "%.1f %% of them right\n",
                  score.matched, 100.0 * (double)score.matched_wrong / (double)score.matched,
                  score.guessed, 100.0 * (double)score.guessed_right / (double)score.guessed);
    assert_true(score.matched_wrong * 4 < score.matched);
}

static int set_up(void **state)
{
    *state = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_match_is_never_wrong),
        cmocka_unit_test(test_without_the_premise),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "rules/wsl_matching.h"
#include "wsl_population.h"

enum { RUNS = 100000, REFRESHES_MAX = 14, GIB = 1 << 30 };

struct score {
    long matched, wrong, guessed, guessed_right, none, refreshes;
    uint64_t wrong_seed;
};

static void judge(const struct wsl_population *population, const struct wsl_match *matches,
                  uint64_t seed, struct score *score)
{
    for (size_t i = 0; i < population->seen.holder_count; i++) {
        const struct wsl_member *member =
            wsl_population_of(population, population->seen.holders[i].identity);
        bool right = member && matches[i].bytes == member->shown_bytes;
        /* The same size on another adapter would be wrong, except nothing, which is nowhere. */
        right = right && (matches[i].bytes == 0 || matches[i].luid == 0xd1a2 + member->adapter ||
                          matches[i].mark != PAIR_MATCHED);
        score->matched += matches[i].mark == PAIR_MATCHED;
        score->guessed += matches[i].mark == PAIR_GUESS;
        score->guessed_right += matches[i].mark == PAIR_GUESS && right;
        score->none += matches[i].mark == PAIR_NONE;
        if (matches[i].mark == PAIR_MATCHED && !right) {
            score->wrong++;
            if (!score->wrong_seed)
                score->wrong_seed = seed;
        }
    }
}

static void print_refresh(const struct wsl_population *population, const struct wsl_match *matches)
{
    for (size_t a = 0; a < population->adapters; a++) {
        print_message("# %d adapter %zu:", population->refresh, a);
        for (size_t i = 0; i < population->lists[a].count; i++)
            print_message(" %lld", (long long)(population->sizes[a][i].value >> 20));
        print_message(population->seen.new_sample ? "\n" : " (old)\n");
    }
    for (size_t i = 0; i < population->seen.holder_count; i++) {
        const struct wsl_member *member =
            wsl_population_of(population, population->seen.holders[i].identity);
        print_message("#   %lld/%llu%s: truth %lld, given %d %lld\n",
                      (long long)population->seen.holders[i].identity.pid,
                      (unsigned long long)population->seen.holders[i].identity.start_stamp,
                      population->seen.holders[i].own ? " own" : "",
                      member ? (long long)(member->shown_bytes >> 20) : -1LL, (int)matches[i].mark,
                      (long long)(matches[i].bytes >> 20));
    }
}

static void run(struct wsl_population *population, struct arena *arena, uint64_t seed, bool print,
                struct score *score)
{
    struct wsl_matching *matching = wsl_matching_new();
    wsl_population_start(population, seed);
    int refreshes = 3 + (int)(seed % (REFRESHES_MAX - 2));
    for (int i = 0; i < refreshes; i++) {
        arena_reset(arena);
        wsl_population_step(population);
        score->refreshes++;
        const struct wsl_match *matches = wsl_matching_step(matching, arena, &population->seen);
        judge(population, matches, seed, score);
        if (print)
            print_refresh(population, matches);
    }
    wsl_matching_free(&matching);
}

static void test_a_match_is_never_wrong(void **state)
{
    static struct wsl_population population;
    struct score score = {0};
    const char *more = getenv("GPUTASKMAN_TEST_RUNS");
    long runs = more ? atol(more) : RUNS;
    for (long i = 0; i < runs; i++)
        run(&population, *state, (uint64_t)i + 1, false, &score);
    print_message("# %ld runs, %ld refreshes: %ld matched (*), %ld wrong; %ld guessed (?), %.1f %% "
                  "of them right; %ld without\n",
                  runs, score.refreshes, score.matched, score.wrong, score.guessed,
                  score.guessed ? 100.0 * (double)score.guessed_right / (double)score.guessed : 0.0,
                  score.none);
    if (score.wrong) {
        struct score again = {0};
        print_message("# a wrong match with seed %llu\n", (unsigned long long)score.wrong_seed);
        run(&population, *state, score.wrong_seed, true, &again);
    }
    assert_int_equal(score.wrong, 0);
    assert_true(score.matched > runs);
    assert_true(score.guessed > runs / 10);
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
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#include "wsl_population.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next(struct wsl_population *population)
{
    uint64_t x = population->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return population->random = x;
}

static int below(struct wsl_population *population, int limit)
{
    return (int)(next(population) % (uint64_t)limit);
}

static bool chance(struct wsl_population *population, int percent)
{
    return below(population, 100) < percent;
}

static int64_t size_of(struct wsl_population *population)
{
    static const int64_t common[] = {0, 300, 300, 2048, 5000};
    if (chance(population, 40))
        return common[below(population, 5)] << 20;
    return (int64_t)(1 + below(population, 8000)) << 20;
}

static struct wsl_member *slot(struct wsl_population *population)
{
    for (size_t i = 0; i < population->count; i++)
        if (!population->members[i].alive && !population->members[i].listed)
            return &population->members[i];
    return population->count < WSL_MEMBERS_MAX ? &population->members[population->count++] : NULL;
}

/* The context comes `late` refreshes after the process is seen. */
static void add(struct wsl_population *population, bool local, bool own, int late)
{
    struct wsl_member *member = slot(population);
    if (!member)
        return;
    *member = (struct wsl_member){
        .alive = true,
        .local = local,
        .own = own,
        .bytes = own ? 0 : size_of(population),
        .opens_at = population->refresh,
        .context_at = population->refresh + late,
        .context_ends_at = -1,
        .adapter = (size_t)below(population, (int)population->adapters),
    };
    /* It may have started long before it opened the device. */
    population->stamp += 1 + (uint64_t)below(population, 100);
    uint64_t stamp = population->stamp;
    if (chance(population, 25) && stamp > 500)
        stamp -= (uint64_t)below(population, 400);
    /* Few pids: they are used again. */
    member->identity = identity_make(NAMESPACE_LOCAL, 100 + below(population, 60), 0);
    member->identity.start_stamp = stamp << 16 | ++population->opened;
}

static bool waits(const struct wsl_population *population)
{
    for (size_t i = 0; i < population->count; i++) {
        const struct wsl_member *member = &population->members[i];
        if (member->alive && member->local && member->context_at > population->refresh)
            return true;
    }
    return false;
}

static bool waited(const struct wsl_population *population)
{
    for (size_t i = 0; i < population->count; i++) {
        const struct wsl_member *member = &population->members[i];
        if (member->alive && member->local && !member->listed &&
            member->opens_at < population->refresh)
            return true;
    }
    return false;
}

/* A context ends in this sample that had just this size. */
static bool replaces(const struct wsl_population *population, int64_t bytes)
{
    for (size_t i = 0; i < population->count; i++) {
        const struct wsl_member *member = &population->members[i];
        if (!member->alive && member->listed && population->refresh >= member->context_ends_at &&
            member->shown_bytes == bytes)
            return true;
    }
    return false;
}

static void begin_all(struct wsl_population *population)
{
    for (size_t i = 0; i < population->count; i++) {
        struct wsl_member *member = &population->members[i];
        if (!member->alive || member->listed || population->refresh < member->context_at)
            continue;
        while (!member->own && replaces(population, member->bytes))
            member->bytes += 1 << 20;
        member->begins = true;
    }
}

static void show(struct wsl_population *population, bool sampled)
{
    if (sampled)
        begin_all(population);
    for (size_t i = 0; sampled && i < population->count; i++) {
        struct wsl_member *member = &population->members[i];
        bool ended = !member->alive && population->refresh >= member->context_ends_at;
        bool begins = member->begins;
        member->begins = false;
        if (begins)
            member->born = ++population->births;
        member->listed = (member->listed || begins) && !ended;
        if (member->listed && !begins && member->alive && !member->own &&
            chance(population, population->restless))
            member->bytes = chance(population, 70)
                                ? member->bytes + ((int64_t)below(population, 3000) << 20)
                                : size_of(population);
        member->shown_bytes = member->bytes;
    }
    for (size_t a = 0; a < population->adapters; a++) {
        size_t count = 0;
        for (uint64_t born = population->births; born > 0; born--)
            for (size_t i = 0; i < population->count; i++)
                if (population->members[i].listed && population->members[i].born == born &&
                    population->members[i].adapter == a)
                    population->sizes[a][count++] =
                        measured_known(population->members[i].shown_bytes);
        population->lists[a] = (struct wsl_context_list){
            .luid = 0xd1a2 + a, .sizes = population->sizes[a], .count = count};
    }
    size_t holders = 0;
    for (size_t i = 0; i < population->count; i++)
        if (population->members[i].alive && population->members[i].local)
            population->holders[holders++] = (struct wsl_holder){
                .identity = population->members[i].identity, .own = population->members[i].own};
    population->seen = (struct wsl_seen){
        .new_sample = sampled,
        .lists = population->lists,
        .list_count = population->adapters,
        .holders = population->holders,
        .holder_count = holders,
    };
}

void wsl_population_start(struct wsl_population *population, uint64_t seed)
{
    memset(population, 0, sizeof *population);
    population->random = seed * 0x9e3779b97f4a7c15ull + 1;
    for (int i = 0; i < 4; i++)
        next(population);
    population->stamp = 1000;
    population->adapters = chance(population, 80) ? 1 : WSL_ADAPTERS;
    population->restless = below(population, 3) * 8;
    int others = below(population, 4), own = 1 + below(population, 3);
    /* Shuffled by age. */
    while (others + own > 0) {
        bool local = below(population, others + own) < own;
        add(population, local, false, 0);
        own -= local;
        others -= !local;
    }
    if (chance(population, 85))
        add(population, true, true, 0);
}

static void end_some(struct wsl_population *population)
{
    for (size_t i = 0; i < population->count; i++) {
        struct wsl_member *member = &population->members[i];
        if (!member->alive || member->own || !chance(population, 6))
            continue;
        member->alive = false;
        member->context_ends_at =
            population->refresh + (chance(population, 60) ? 0 : 1 + below(population, 2));
        if (!member->listed)
            member->context_ends_at = population->refresh;
    }
}

void wsl_population_step(struct wsl_population *population)
{
    bool sampled = population->refresh == 0 || chance(population, 85);
    if (population->refresh > 0) {
        end_some(population);
        bool late_possible = sampled;
        if (chance(population, 25)) {
            int many = 1 + (chance(population, 20) ? 1 + below(population, 2) : 0);
            for (int i = 0; i < many; i++)
                add(population, true, false,
                    late_possible && chance(population, 70) ? 0 : 1 + below(population, 2));
        }
        if (sampled && !waits(population) && !waited(population) && chance(population, 15))
            add(population, false, false, 0);
    }
    show(population, sampled);
    population->refresh++;
}

const struct wsl_member *wsl_population_of(const struct wsl_population *population,
                                           struct identity identity)
{
    for (size_t i = 0; i < population->count; i++) {
        const struct wsl_member *member = &population->members[i];
        if (member->alive && member->local && member->listed &&
            identity_equal(member->identity, identity))
            return member;
    }
    return NULL;
}

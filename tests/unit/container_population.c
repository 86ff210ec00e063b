#include "container_population.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next_random(struct population *population)
{
    uint64_t x = population->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    population->random = x;
    return x * UINT64_C(2685821657736338717);
}

static int below(struct population *population, int limit)
{
    return (int)((next_random(population) >> 33) % (uint64_t)limit);
}

static bool chance(struct population *population, int percent)
{
    return below(population, 100) < percent;
}

static bool is_used(const struct population *population, int64_t local_pid)
{
    for (size_t i = 0; i < population->count; i++)
        if (population->members[i].own && population->members[i].alive &&
            population->members[i].identity.pid == local_pid)
            return true;
    return false;
}

/* The kernel hands out the next free number, from 300 on after the end. */
static int64_t next_local(struct population *population)
{
    do {
        population->local_pid += 1 + below(population, 3);
        if (population->local_pid >= 32768)
            population->local_pid = 300;
    } while (is_used(population, population->local_pid));
    return population->local_pid;
}

static bool is_near_half_turn(const struct population *population)
{
    for (size_t i = 0; i < population->count; i++) {
        const struct member *member = &population->members[i];
        if ((member->alive || member->listed || member->lingers) &&
            population->host_turn - member->turn > population->pid_max / 2 - 100)
            return true;
    }
    return false;
}

static struct member *place_for(struct population *population)
{
    for (size_t i = 0; i < population->count; i++) {
        struct member *member = &population->members[i];
        if (!member->alive && !member->listed && !member->was_listed && !member->seen &&
            !member->was_seen)
            return member;
    }
    return population->count < MEMBERS_MAX ? &population->members[population->count++] : NULL;
}

static struct member *fork_member(struct population *population, bool own)
{
    if (is_near_half_turn(population))
        return NULL;
    struct member *member = place_for(population);
    if (!member)
        return NULL;
    population->host_turn += 1 + below(population, 40);
    population->clock_ticks += chance(population, 30) ? 0 : (uint64_t)below(population, 200);
    *member = (struct member){.own = own, .alive = true, .turn = population->host_turn};
    member->host_pid = 300 + population->host_turn % (population->pid_max - 300);
    member->devices = UINT64_C(1) << below(population, population->knows_devices ? DEVICES : 1);
    member->visible_devices = population->knows_devices ? member->devices : UINT64_MAX;
    member->context_ends_at = member->ends_at = INT32_MAX;
    if (own)
        member->identity =
            identity_make(NAMESPACE_LOCAL, next_local(population), population->clock_ticks);
    return member;
}

static void fork_own(struct population *population)
{
    struct member *member = fork_member(population, true);
    if (!member)
        return;
    int now = population->refresh;
    member->candidate_at = now + (chance(population, 60) ? 0 : below(population, 4));
    member->context_at = member->candidate_at;
    if (chance(population, 15))
        member->context_at = INT32_MAX;
    else if (chance(population, 40))
        member->context_at += 1 + below(population, 6);
    if (chance(population, 10) && member->context_at != INT32_MAX)
        member->context_ends_at = member->context_at + 1 + below(population, 6);
    if (chance(population, 50))
        member->ends_at = now + 1 + below(population, 12);
    member->unreadable = chance(population, 2);
}

static void fork_outside(struct population *population, uint64_t devices)
{
    struct member *member = fork_member(population, false);
    if (!member)
        return;
    if (devices)
        member->devices = devices;
    member->context_at = population->refresh;
    if (chance(population, 50))
        member->ends_at = population->refresh + 1 + below(population, 12);
}

void population_start(struct population *population, uint64_t seed)
{
    static const int64_t ends[] = {2000, 32768, 4194304};
    memset(population, 0, sizeof *population);
    population->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    population->pid_max = ends[below(population, 3)];
    population->host_turn = (int64_t)below(population, (int)population->pid_max);
    if (chance(population, 50))
        population->host_turn = population->pid_max - 300 - below(population, 300);
    population->local_pid = chance(population, 20) ? 32760 : 300 + below(population, 1000);
    population->clock_ticks = 100000;
    population->knows_devices = chance(population, 30);
    population->has_outside = chance(population, 60);
    int before = below(population, 6);
    for (int i = 0; i < before; i++) {
        if (population->has_outside && chance(population, 50))
            fork_outside(population, 0);
        else
            fork_own(population);
    }
}

static void set_flags(struct population *population, struct member *member)
{
    int now = population->refresh;
    bool context = member->context_at <= now && member->context_ends_at > now;
    member->was_listed = member->listed;
    member->was_seen = member->seen;
    member->lingers = member->alive && member->ends_at <= now && chance(population, 30);
    member->alive = member->alive && member->ends_at > now;
    member->listed = member->alive && context;
    member->seen =
        member->own && member->alive && member->candidate_at <= now && !member->unreadable;
    if (!member->lingers)
        return;
    member->listed = population->host_first ? false : member->was_listed;
    member->seen = population->host_first ? member->was_seen : false;
}

/* Does a process outside (or one that looks so) balance an idle candidate on these devices? */
static bool balances(const struct population *population, uint64_t devices)
{
    int outside = 0, idle = 0;
    for (size_t i = 0; i < population->count; i++) {
        const struct member *member = &population->members[i];
        bool both = member->lingers && member->was_listed && member->was_seen;
        if ((member->devices & devices) == 0 || both)
            continue; /* the step sees the other side end, and waits */
        outside += member->listed && !member->seen;
        idle += member->seen && !member->listed;
    }
    return outside > 0 && outside <= idle;
}

/* One new candidate without a new context, and a new host pid of somebody else. */
static bool begins_together(const struct population *population)
{
    int candidates = 0, hosts = 0, others = 0;
    for (size_t i = 0; i < population->count; i++) {
        const struct member *member = &population->members[i];
        bool candidate = member->seen && !member->was_seen;
        bool host = member->listed && !member->was_listed;
        candidates += candidate;
        hosts += host;
        others += host && !candidate;
    }
    return candidates == 1 && others > 0 && hosts < 3;
}

static bool add_outside(struct population *population, uint64_t devices)
{
    size_t before = population->count;
    int64_t turn = population->host_turn;
    fork_outside(population, devices);
    if (population->host_turn == turn && population->count == before)
        return false;
    for (size_t i = 0; i < population->count; i++)
        if (population->members[i].turn == population->host_turn)
            population->members[i].listed = true;
    return true;
}

/* False when the population is too full to be kept out of the two cases. */
static bool keep_premises(struct population *population)
{
    for (int tries = 0; !population->unrestricted && tries < 2 * MEMBERS_MAX; tries++) {
        uint64_t devices = 0;
        for (int d = 0; d < DEVICES && !devices; d++)
            if (balances(population, UINT64_C(1) << d))
                devices = UINT64_C(1) << d;
        if (!devices && (balances(population, UINT64_MAX) || begins_together(population)))
            devices = UINT64_C(1) << below(population, population->knows_devices ? DEVICES : 1);
        if (!devices)
            return true;
        if (!add_outside(population, devices))
            return false;
    }
    return population->unrestricted;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct pairing_host *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static void set_facts(struct population *population, bool sound)
{
    struct pairing_facts *facts = &population->facts;
    *facts = (struct pairing_facts){
        .hosts = population->hosts,
        .candidates = population->candidates,
        .complete = sound && !chance(population, 8),
        .pid_max = population->pid_max,
    };
    for (size_t i = 0; i < population->count; i++) {
        const struct member *member = &population->members[i];
        facts->doubtful |= member->unreadable && member->alive;
        if (member->listed && (facts->complete || chance(population, 70)))
            population->hosts[facts->host_count++] =
                (struct pairing_host){member->host_pid, member->devices};
        if (member->seen && (facts->complete || chance(population, 70)))
            population->candidates[facts->candidate_count++] = (struct pairing_candidate){
                .identity = member->identity, .devices = member->visible_devices};
    }
    qsort(population->hosts, facts->host_count, sizeof *population->hosts, compare_hosts);
}

void population_step(struct population *population)
{
    population->refresh++;
    population->host_first = chance(population, 50);
    population->clock_ticks += 50 + (uint64_t)below(population, 100);
    for (size_t i = 0; i < population->count; i++)
        set_flags(population, &population->members[i]);
    int births = chance(population, 40) ? 1 + below(population, 2) : 0;
    for (int i = 0; i < births; i++) {
        if (population->has_outside && chance(population, 50))
            fork_outside(population, 0);
        else
            fork_own(population);
    }
    for (size_t i = 0; i < population->count; i++) {
        struct member *member = &population->members[i];
        if (member->alive && !member->listed && !member->seen) {
            member->listed = member->context_at <= population->refresh &&
                             member->context_ends_at > population->refresh;
            member->seen =
                member->own && member->candidate_at <= population->refresh && !member->unreadable;
        }
    }
    set_facts(population, keep_premises(population));
}

const struct member *population_owner(const struct population *population, int64_t host_pid)
{
    for (size_t i = 0; i < population->count; i++) {
        const struct member *member = &population->members[i];
        if (member->own && member->host_pid == host_pid && (member->listed || member->alive))
            return member;
    }
    return NULL;
}

#include "rules/pairing_order.h"

#include <stdlib.h>

/* Beyond this no guess is worth its time. */
enum { GUESS_CELLS_MAX = 1 << 18 };

/* Local numbers wrap too: so far apart at one tick, the smaller one is the later one. */
enum { PID_FAR = 16384 };

int identity_start_compare(struct identity a, struct identity b)
{
    if (a.start_stamp != b.start_stamp)
        return a.start_stamp < b.start_stamp ? -1 : 1;
    return (a.pid > b.pid) - (a.pid < b.pid);
}

bool identity_start_is_unclear(struct identity earlier, struct identity later)
{
    if (later.start_stamp - earlier.start_stamp > 1)
        return false;
    return earlier.pid > later.pid || later.pid - earlier.pid > PID_FAR;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct open_host *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static int compare_candidates(const void *a, const void *b)
{
    const struct open_candidate *left = a, *right = b;
    return identity_start_compare(left->identity, right->identity);
}

static void reverse(struct open_host *hosts, size_t from, size_t to)
{
    while (from + 1 < to) {
        struct open_host kept = hosts[from];
        hosts[from++] = hosts[--to];
        hosts[to] = kept;
    }
}

bool open_sides_sort(struct open_sides *sides, int64_t pid_max)
{
    struct open_host *hosts = sides->hosts;
    size_t count = sides->host_count, behind = 0;
    int64_t largest = 0;

    if (count > 1)
        qsort(hosts, count, sizeof *hosts, compare_hosts);
    if (sides->candidate_count > 1)
        qsort(sides->candidates, sides->candidate_count, sizeof *sides->candidates,
              compare_candidates);
    if (count < 2 || pid_max <= 0 || hosts[count - 1].pid - hosts[0].pid <= pid_max / 2)
        return false;
    for (size_t i = 1; i < count; i++)
        if (hosts[i].pid - hosts[i - 1].pid > largest) {
            largest = hosts[i].pid - hosts[i - 1].pid;
            behind = i;
        }
    reverse(hosts, 0, behind);
    reverse(hosts, behind, count);
    reverse(hosts, 0, count);
    return true;
}

bool open_is_possible(const struct open_host *host, const struct open_candidate *candidate,
                      bool certain)
{
    if ((host->devices & ~candidate->devices) != 0)
        return false;
    return host->first + (certain ? 0 : 1) >= candidate->first;
}

static bool crosses_anchor(const struct open_sides *sides, const struct open_host *host,
                           const struct open_candidate *candidate)
{
    for (size_t i = 0; i < sides->anchor_count; i++) {
        const struct anchor *anchor = &sides->anchors[i];
        bool host_before = host->pid < anchor->host_pid;
        bool candidate_before = identity_start_compare(candidate->identity, anchor->identity) < 0;
        if (host_before != candidate_before)
            return true;
    }
    return false;
}

/* A cell of the table: the best that the first so many of both sides allow. */
struct best {
    uint32_t pairs, apart, cost; /* apart: pairs whose two sides were not first seen together */
    uint8_t step;                /* the enum below */
};

enum { STEP_NONE, STEP_SKIP_HOST, STEP_SKIP_CANDIDATE, STEP_PAIR };

static bool is_better(struct best one, struct best other)
{
    if (one.pairs != other.pairs)
        return one.pairs > other.pairs;
    if (one.apart != other.apart)
        return one.apart < other.apart;
    return one.cost < other.cost;
}

/* What it costs to leave the h-th host aside: the older, the less. */
static uint32_t host_cost(size_t h)
{
    return (uint32_t)h;
}

/* The younger, the less; a forked worker nothing. */
static uint32_t candidate_cost(const struct open_sides *sides, size_t c)
{
    return sides->candidates[c - 1].has_candidate_parent
               ? 0
               : (uint32_t)(sides->candidate_count + 1 - c);
}

static struct best best_of(const struct open_sides *sides, const struct best *table, size_t columns,
                           size_t h, size_t c)
{
    const struct open_host *host = &sides->hosts[h - 1];
    const struct open_candidate *candidate = &sides->candidates[c - 1];
    struct best best = table[(h - 1) * columns + c];
    best.step = STEP_SKIP_HOST;
    best.cost += host_cost(h);
    struct best skip = table[h * columns + c - 1];
    skip.step = STEP_SKIP_CANDIDATE;
    skip.cost += candidate_cost(sides, c);
    if (is_better(skip, best))
        best = skip;
    struct best pair = table[(h - 1) * columns + c - 1];
    pair.step = STEP_PAIR;
    pair.pairs++;
    pair.apart += host->first != candidate->first;
    if (open_is_possible(host, candidate, false) && !crosses_anchor(sides, host, candidate) &&
        !is_better(best, pair))
        best = pair;
    return best;
}

void pairing_guess(struct arena *arena, const struct open_sides *sides, size_t *chosen)
{
    size_t rows = sides->host_count + 1, columns = sides->candidate_count + 1;
    for (size_t i = 0; i < sides->host_count; i++)
        chosen[i] = SIZE_MAX;
    if (sides->host_count == 0 || sides->candidate_count == 0 || rows > GUESS_CELLS_MAX / columns)
        return;
    struct best *table = ARENA_ARRAY(arena, struct best, rows * columns);
    for (size_t h = 1; h < rows; h++)
        table[h * columns] = (struct best){.cost = table[(h - 1) * columns].cost + host_cost(h),
                                           .step = STEP_SKIP_HOST};
    for (size_t c = 1; c < columns; c++)
        table[c] = (struct best){.cost = table[c - 1].cost + candidate_cost(sides, c),
                                 .step = STEP_SKIP_CANDIDATE};
    for (size_t h = 1; h < rows; h++)
        for (size_t c = 1; c < columns; c++)
            table[h * columns + c] = best_of(sides, table, columns, h, c);
    size_t h = rows - 1, c = columns - 1;
    while (h > 0 && c > 0) {
        uint8_t step = table[h * columns + c].step;
        if (step == STEP_PAIR)
            chosen[h - 1] = c - 1;
        h -= step != STEP_SKIP_CANDIDATE;
        c -= step != STEP_SKIP_HOST;
    }
}

#include "rules/wsl_contexts.h"

#include <stdint.h>

static const uint32_t impossible = UINT32_MAX / 4;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* What it costs that this context becomes that one. */
static uint32_t cost_of_pair(const struct context_before *before, struct measured after)
{
    if (before->empty && !(after.known && after.value == 0))
        return impossible;
    bool same = before->bytes.known == after.known && before->bytes.value == after.value;
    return same ? 0 : before->ends ? 3 : 1;
}

/* The ways with one number of births: the rest of the list is what is left of that before, so the
 * number of deaths is known too. */
struct way {
    const struct context_change *change;
    size_t births, kept; /* kept: how many go on */
    uint32_t extra;      /* beyond what the Linux side has seen */
    uint32_t *front;     /* least cost of before[0..i) with kept[0..j) */
    uint32_t *back;      /* the same of what follows them */
};

static size_t cell(const struct way *way, size_t i, size_t j)
{
    return i * (way->kept + 1) + j;
}

static uint32_t end_cost(const struct way *way, size_t i)
{
    return way->change->before[i].lives ? impossible : 0;
}

static uint32_t pair_cost(const struct way *way, size_t i, size_t j)
{
    return cost_of_pair(&way->change->before[i], way->change->after[way->births + j]);
}

static void fill(const struct way *way)
{
    size_t rows = way->change->before_count, kept = way->kept;
    for (size_t i = 0; i <= rows; i++)
        for (size_t j = 0; j <= kept; j++) {
            uint32_t cost = i == 0 && j == 0 ? 0 : impossible;
            if (i > 0)
                cost = least(cost, way->front[cell(way, i - 1, j)] + end_cost(way, i - 1));
            if (i > 0 && j > 0)
                cost =
                    least(cost, way->front[cell(way, i - 1, j - 1)] + pair_cost(way, i - 1, j - 1));
            way->front[cell(way, i, j)] = least(cost, impossible);
        }
    for (size_t i = rows + 1; i-- > 0;)
        for (size_t j = kept + 1; j-- > 0;) {
            uint32_t cost = i == rows && j == kept ? 0 : impossible;
            if (i < rows)
                cost = least(cost, way->back[cell(way, i + 1, j)] + end_cost(way, i));
            if (i < rows && j < kept)
                cost = least(cost, way->back[cell(way, i + 1, j + 1)] + pair_cost(way, i, j));
            way->back[cell(way, i, j)] = least(cost, impossible);
        }
}

static uint32_t beyond(size_t count, size_t expected)
{
    return count > expected ? (uint32_t)(count - expected) : 0;
}

static bool start_way(struct way *way, const struct context_change *change, size_t births)
{
    if (births > change->after_count || change->after_count - births > change->before_count)
        return false;
    way->change = change;
    way->births = births;
    way->kept = change->after_count - births;
    way->extra = beyond(births, change->expected_births) +
                 beyond(change->before_count - way->kept, change->expected_deaths);
    fill(way);
    return true;
}

static uint32_t cost_of_way(const struct way *way)
{
    return least(way->front[cell(way, way->change->before_count, way->kept)] + way->extra,
                 impossible);
}

/* A beginning and an end that cost nothing can hide a change. */
static uint32_t hidden_by(const struct way *way)
{
    const struct context_change *change = way->change;
    size_t deaths = change->before_count - way->kept, births = way->births;
    births = births < change->expected_births ? births : change->expected_births;
    deaths = deaths < change->expected_deaths ? deaths : change->expected_deaths;
    return (uint32_t)(births < deaths ? births : deaths);
}

static void take_way(const struct way *way, uint32_t most, struct context_set *may_be,
                     struct context_set *may_be_new)
{
    if (cost_of_way(way) > most)
        return;
    for (size_t j = 0; j < way->births; j++)
        context_set_add(may_be_new, j);
    for (size_t i = 0; i < way->change->before_count; i++)
        for (size_t j = 0; j < way->kept; j++) {
            uint32_t cost = way->front[cell(way, i, j)] + pair_cost(way, i, j) +
                            way->back[cell(way, i + 1, j + 1)] + way->extra;
            if (cost <= most)
                context_set_add(&may_be[i], way->births + j);
        }
}

bool wsl_contexts_follow(struct arena *arena, const struct context_change *change,
                         struct context_set *may_be, struct context_set *may_be_new)
{
    size_t cells = (change->before_count + 1) * (change->after_count + 1);
    struct way way = {.front = ARENA_ARRAY(arena, uint32_t, cells),
                      .back = ARENA_ARRAY(arena, uint32_t, cells)};
    uint32_t best = impossible, hidden = 0;
    *may_be_new = (struct context_set){{0}};
    for (size_t i = 0; i < change->before_count; i++)
        may_be[i] = (struct context_set){{0}};
    for (size_t births = 0; births <= change->after_count; births++)
        if (start_way(&way, change, births) && cost_of_way(&way) <= best) {
            uint32_t cost = cost_of_way(&way), here = hidden_by(&way);
            hidden = cost < best || here > hidden ? here : hidden;
            best = cost;
        }
    if (best >= impossible)
        return false;
    uint32_t most = 2 * best + hidden + (uint32_t)change->slack;
    for (size_t births = 0; births <= change->after_count; births++)
        if (start_way(&way, change, births))
            take_way(&way, most, may_be, may_be_new);
    return true;
}

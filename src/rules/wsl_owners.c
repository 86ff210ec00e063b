#include "rules/wsl_owners.h"

#include <stdint.h>
#include <string.h>

/* A bipartite matching that grows by one claim at a time. */
struct matching {
    const struct context_claim *claims;
    size_t claim_count, context_count;
    size_t *owner; /* of a context: a claim, or SIZE_MAX */
    bool *seen;    /* contexts looked at by this try */
    size_t fixed;  /* this claim may have nothing but ... */
    size_t fixed_place;
};

static bool may_own(const struct matching *matching, size_t claim, size_t place)
{
    if (claim == matching->fixed)
        return place == matching->fixed_place;
    return context_set_has(&matching->claims[claim].may_own, place);
}

static bool place_claim(struct matching *matching, size_t claim)
{
    for (size_t place = 0; place < matching->context_count; place++) {
        if (matching->seen[place] || !may_own(matching, claim, place))
            continue;
        matching->seen[place] = true;
        if (matching->owner[place] == SIZE_MAX || place_claim(matching, matching->owner[place])) {
            matching->owner[place] = claim;
            return true;
        }
    }
    return false;
}

static bool try_claim(struct matching *matching, size_t claim)
{
    memset(matching->seen, 0, matching->context_count * sizeof *matching->seen);
    return place_claim(matching, claim);
}

static struct matching matching_new(struct arena *arena, const struct context_claim *claims,
                                    size_t claim_count, size_t context_count)
{
    struct matching matching = {
        .claims = claims,
        .claim_count = claim_count,
        .context_count = context_count,
        .owner = ARENA_ARRAY(arena, size_t, context_count),
        .seen = ARENA_ARRAY(arena, bool, context_count),
        .fixed = SIZE_MAX,
    };
    return matching;
}

static void matching_clear(struct matching *matching)
{
    for (size_t place = 0; place < matching->context_count; place++)
        matching->owner[place] = SIZE_MAX;
}

/* Everybody who must and can own one, with one claim fixed to one context. */
static bool fits(struct matching *matching, size_t claim, size_t place)
{
    bool all = true;
    matching_clear(matching);
    matching->fixed = claim;
    matching->fixed_place = place;
    all = try_claim(matching, claim);
    for (size_t i = 0; i < matching->claim_count && all; i++)
        if (i != claim && matching->claims[i].explained)
            all = try_claim(matching, i);
    matching->fixed = SIZE_MAX;
    return all;
}

/* The claims that compete for contexts with one another. Where one of them can have none, none of
 * them is explained. */
static void find_explained(struct arena *arena, struct context_claim *claims, size_t claim_count,
                           size_t context_count)
{
    struct matching matching = matching_new(arena, claims, claim_count, context_count);
    matching_clear(&matching);
    struct context_set doubtful = {{0}};
    for (size_t i = 0; i < claim_count; i++) {
        claims[i].explained = claims[i].must_own && try_claim(&matching, i);
        if (claims[i].must_own && !claims[i].explained)
            context_set_join(&doubtful, &claims[i].may_own);
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < claim_count; i++) {
            struct context_set common = claims[i].may_own;
            context_set_keep(&common, &doubtful);
            if (!claims[i].explained || context_set_is_empty(&common))
                continue;
            claims[i].explained = false;
            context_set_join(&doubtful, &claims[i].may_own);
            grew = true;
        }
    }
}

static bool same_size(struct context_size a, struct context_size b)
{
    return a.bytes.known && b.bytes.known && a.bytes.value == b.bytes.value &&
           (a.luid == b.luid || a.bytes.value == 0);
}

static void find_agreement(struct matching *matching, struct context_claim *claims, size_t claim,
                           const struct context_size *sizes)
{
    size_t found = SIZE_MAX;
    for (size_t place = 0; place < matching->context_count; place++) {
        if (!context_set_has(&claims[claim].may_own, place) ||
            (found != SIZE_MAX && same_size(sizes[found], sizes[place])) ||
            !fits(matching, claim, place))
            continue;
        if (found != SIZE_MAX || !sizes[place].bytes.known)
            return;
        found = place;
    }
    claims[claim].agreed = found != SIZE_MAX;
}

/* One explanation, for the places of what is agreed. */
static void find_places(struct matching *matching, struct context_claim *claims)
{
    matching_clear(matching);
    for (size_t i = 0; i < matching->claim_count; i++)
        if (claims[i].explained)
            try_claim(matching, i);
    for (size_t place = 0; place < matching->context_count; place++)
        if (matching->owner[place] != SIZE_MAX)
            claims[matching->owner[place]].place = place;
}

void wsl_owners_explain(struct arena *arena, struct context_claim *claims, size_t claim_count,
                        const struct context_size *sizes, size_t context_count)
{
    for (size_t i = 0; i < claim_count; i++) {
        claims[i].explained = claims[i].agreed = false;
        claims[i].place = SIZE_MAX;
    }
    find_explained(arena, claims, claim_count, context_count);
    struct matching matching = matching_new(arena, claims, claim_count, context_count);
    for (size_t i = 0; i < claim_count; i++)
        if (claims[i].explained)
            find_agreement(&matching, claims, i, sizes);
    find_places(&matching, claims);
}

bool wsl_owners_allow(struct arena *arena, const struct context_claim *claims, size_t claim_count,
                      size_t context_count, size_t claim, size_t place)
{
    struct matching matching = matching_new(arena, claims, claim_count, context_count);
    return context_set_has(&claims[claim].may_own, place) && fits(&matching, claim, place);
}

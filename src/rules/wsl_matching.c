#include "rules/wsl_matching.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "rules/wsl_guess.h"
#include "rules/wsl_matching_parts.h"
#include "rules/wsl_owners.h"

struct wsl_matching *wsl_matching_new(void)
{
    return memory_new(sizeof(struct wsl_matching));
}

void wsl_matching_free(struct wsl_matching **matching)
{
    if (!*matching)
        return;
    VECTOR_FREE(&(*matching)->owners);
    free(*matching);
    *matching = NULL;
}

void wsl_matching_forget(struct wsl_matching *matching)
{
    matching->context_count = matching->owners.count = 0;
    matching->started = false;
}

void wsl_matching_set_foreign(struct wsl_matching *matching, const struct foreign_sizes *sizes)
{
    matching->foreign = *sizes;
}

const struct foreign_sizes *wsl_matching_foreign(const struct wsl_matching *matching)
{
    return &matching->foreign;
}

static struct owner *owner_of(struct wsl_matching *matching, struct identity identity)
{
    for (size_t i = 0; i < matching->owners.count; i++)
        if (identity_equal(matching->owners.items[i].identity, identity))
            return &matching->owners.items[i];
    return NULL;
}

/* A context whose owner has ended is held aside; where it is not known which one it was, all that
 * it may have been are suspect for a while. */
static void leave_behind(struct wsl_matching *matching, const struct owner *owner)
{
    size_t only = is_established(owner) ? context_set_only(&owner->may_own) : SIZE_MAX;
    matching->doubtful_exits[matching->sample % EXITS_KEPT] += only == SIZE_MAX;
    for (size_t i = 0; i < matching->context_count; i++) {
        struct foreign_trace *trace = &matching->contexts[i].trace;
        if (i == only)
            trace->left_behind = true;
        else if (context_set_has(&owner->may_own, i))
            trace->suspect = SUSPECT_SAMPLES + 1;
    }
}

static void end_owners(struct wsl_matching *matching)
{
    size_t kept = 0;
    for (size_t i = 0; i < matching->owners.count; i++) {
        if (!matching->owners.items[i].present)
            leave_behind(matching, &matching->owners.items[i]);
        else
            matching->owners.items[kept++] = matching->owners.items[i];
    }
    matching->owners.count = kept;
}

static size_t find_present(struct wsl_matching *matching, const struct wsl_seen *seen)
{
    size_t added = 0;
    for (size_t i = 0; i < matching->owners.count; i++)
        matching->owners.items[i].present = false;
    for (size_t i = 0; i < seen->holder_count; i++) {
        struct owner *owner = owner_of(matching, seen->holders[i].identity);
        if (owner)
            owner->present = true;
        else
            added++;
    }
    return added;
}

static size_t count_waiting(const struct wsl_matching *matching)
{
    size_t waiting = 0;
    for (size_t i = 0; i < matching->owners.count; i++)
        waiting += waits(&matching->owners.items[i]);
    return waiting;
}

static size_t count_set(const struct context_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < WSL_CONTEXTS_MAX; i++)
        count += context_set_has(set, i);
    return count;
}

static void add_owner(const struct step *step, const struct wsl_holder *holder, bool settled)
{
    struct wsl_matching *matching = step->matching;
    struct owner owner = {
        .identity = holder->identity,
        .may_own = step->may_be_new,
        .first_sample = matching->sample,
        .own = holder->own,
        .settled = settled,
        .present = true,
    };
    if (owner.own) {
        struct context_set zeros = wsl_sample_zeros(step);
        context_set_keep(&owner.may_own, &zeros);
    }
    VECTOR_PUSH(&matching->owners, owner);
}

/* New processes whose contexts surely appeared together with them have them. */
static void add_owners(const struct step *step, size_t added, size_t waiting)
{
    struct wsl_matching *matching = step->matching;
    bool together = step->seen->new_sample && waiting == 0 && count_set(&step->surely_new) >= added;
    bool settled = !matching->started || together;
    for (size_t i = 0; i < step->seen->holder_count; i++)
        if (!owner_of(matching, step->seen->holders[i].identity))
            add_owner(step, &step->seen->holders[i], settled);
}

static void settle(struct wsl_matching *matching)
{
    for (size_t i = 0; i < matching->owners.count; i++) {
        struct owner *owner = &matching->owners.items[i];
        owner->settled |= matching->sample - owner->first_sample >= LATE_SAMPLES;
    }
}

static void take_contexts(struct step *step)
{
    struct wsl_matching *matching = step->matching;
    struct foreign_trace *before =
        ARENA_ARRAY(step->arena, struct foreign_trace, matching->context_count);
    struct foreign_trace *after = ARENA_ARRAY(step->arena, struct foreign_trace, step->after_count);
    bool idle = true;
    for (size_t i = 0; i < matching->context_count; i++)
        before[i] = matching->contexts[i].trace;
    for (size_t i = 0; i < step->after_count; i++)
        after[i] = step->after[i].trace;
    for (size_t i = 0; i < step->seen->holder_count; i++)
        idle &= step->seen->holders[i].own;
    if (!matching->started)
        foreign_bind(&matching->foreign, after, step->after_count);
    if (idle)
        foreign_idle(&matching->foreign, after, step->after_count);
    else
        foreign_busy(&matching->foreign, before, matching->context_count, after, step->after_count);
    for (size_t i = 0; i < step->after_count; i++) {
        matching->contexts[i] = step->after[i];
        matching->contexts[i].trace = after[i];
    }
    matching->context_count = step->after_count;
}

static bool must_own(const struct owner *owner)
{
    return owner->settled && !owner->lost && !(owner->own && context_set_is_empty(&owner->may_own));
}

/* What no explanation gives it is not its. */
static void narrow(const struct step *step, const struct context_claim *claims, size_t count)
{
    struct wsl_matching *matching = step->matching;
    for (size_t i = 0; i < count; i++) {
        struct owner *owner = &matching->owners.items[i];
        owner->explained = claims[i].explained;
        if (!claims[i].explained || context_set_only(&owner->may_own) != SIZE_MAX)
            continue;
        for (size_t place = 0; place < matching->context_count; place++)
            if (context_set_has(&owner->may_own, place) &&
                !wsl_owners_allow(step->arena, claims, count, matching->context_count, i, place))
                context_set_remove(&owner->may_own, place);
    }
}

static struct context_claim *explain(const struct step *step, const struct context_size *sizes)
{
    struct wsl_matching *matching = step->matching;
    size_t count = matching->owners.count;
    struct context_claim *claims = ARENA_ARRAY(step->arena, struct context_claim, count);
    for (size_t i = 0; i < count; i++)
        claims[i] = (struct context_claim){.may_own = matching->owners.items[i].may_own,
                                           .must_own = must_own(&matching->owners.items[i])};
    wsl_owners_explain(step->arena, claims, count, sizes, matching->context_count);
    narrow(step, claims, count);
    return claims;
}

static struct wsl_match *results(const struct step *step, const struct context_claim *claims,
                                 const struct context_size *sizes)
{
    struct wsl_matching *matching = step->matching;
    const struct wsl_seen *seen = step->seen;
    struct wsl_match *matches = ARENA_ARRAY(step->arena, struct wsl_match, seen->holder_count);
    struct guess_holder *holders =
        ARENA_ARRAY(step->arena, struct guess_holder, matching->owners.count);
    struct guess_context *contexts =
        ARENA_ARRAY(step->arena, struct guess_context, matching->context_count);
    for (size_t i = 0; i < matching->context_count; i++)
        contexts[i] = (struct guess_context){
            .luid = matching->contexts[i].luid,
            .foreign =
                sizes[i].bytes.known && foreign_has(&matching->foreign, sizes[i].bytes.value),
            .taken = !sizes[i].bytes.known || matching->contexts[i].trace.left_behind,
        };
    for (size_t i = 0; i < matching->owners.count; i++) {
        const struct owner *owner = &matching->owners.items[i];
        holders[i] = (struct guess_holder){.identity = owner->identity,
                                           .may_own = owner->may_own,
                                           .wants = !claims[i].agreed && !owner->own};
        if (claims[i].agreed)
            contexts[claims[i].place].taken = true;
    }
    wsl_guess(step->arena, holders, matching->owners.count, contexts, matching->context_count);
    for (size_t i = 0; i < seen->holder_count; i++) {
        size_t at =
            (size_t)(owner_of(matching, seen->holders[i].identity) - matching->owners.items);
        size_t place = claims[at].agreed ? claims[at].place : holders[at].place;
        if (place == SIZE_MAX)
            continue;
        matches[i] = (struct wsl_match){.mark = claims[at].agreed ? PAIR_MATCHED : PAIR_GUESS,
                                        .luid = matching->contexts[place].luid,
                                        .bytes = sizes[place].bytes.value};
    }
    return matches;
}

static bool is_too_much(const struct wsl_seen *seen)
{
    size_t contexts = 0;
    for (size_t i = 0; i < seen->list_count; i++)
        contexts += seen->lists[i].count;
    return contexts > WSL_CONTEXTS_MAX || seen->holder_count > WSL_CONTEXTS_MAX;
}

struct wsl_match *wsl_matching_step(struct wsl_matching *matching, struct arena *arena,
                                    const struct wsl_seen *seen)
{
    struct step step = {.matching = matching, .arena = arena, .seen = seen};
    if (is_too_much(seen)) {
        wsl_matching_forget(matching);
        return ARENA_ARRAY(arena, struct wsl_match, seen->holder_count);
    }
    size_t added = find_present(matching, seen);
    size_t waiting = count_waiting(matching);
    end_owners(matching);
    step.births_expected = added + waiting;
    bool takes = seen->new_sample || !matching->started;
    if (takes) {
        wsl_sample_take(&step);
        matching->sample++;
        matching->doubtful_exits[matching->sample % EXITS_KEPT] = 0;
    }
    add_owners(&step, added, waiting);
    if (takes)
        take_contexts(&step);
    matching->started = true;
    settle(matching);
    struct context_size *sizes = ARENA_ARRAY(arena, struct context_size, matching->context_count);
    for (size_t i = 0; i < matching->context_count; i++)
        sizes[i] =
            (struct context_size){matching->contexts[i].luid, matching->contexts[i].trace.bytes};
    struct context_claim *claims = explain(&step, sizes);
    return results(&step, claims, sizes);
}

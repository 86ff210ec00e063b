/* A new sample of the contexts: which of those before each may be, and what is remembered of them.
 */
#include "rules/wsl_contexts.h"
#include "rules/wsl_matching_parts.h"

static void read_lists(struct step *step)
{
    const struct wsl_seen *seen = step->seen;
    step->after = ARENA_ARRAY(step->arena, struct context, WSL_CONTEXTS_MAX);
    for (size_t i = 0; i < seen->list_count; i++)
        for (size_t k = 0; k < seen->lists[i].count; k++)
            step->after[step->after_count++] = (struct context){
                .luid = seen->lists[i].luid, .trace = {.bytes = seen->lists[i].sizes[k]}};
}

/* The places of one adapter's contexts stand together; their first, and how many. */
static size_t places_of(const struct context *contexts, size_t count, uint64_t luid, size_t *first)
{
    size_t found = 0;
    *first = 0;
    for (size_t i = 0; i < count; i++)
        if (contexts[i].luid == luid) {
            if (found++ == 0)
                *first = i;
        }
    return found;
}

static void fill_before(const struct step *step, size_t first, size_t count,
                        struct context_before *before, size_t *expected_deaths)
{
    const struct wsl_matching *matching = step->matching;
    for (size_t i = 0; i < count; i++) {
        const struct foreign_trace *trace = &matching->contexts[first + i].trace;
        before[i] = (struct context_before){.bytes = trace->bytes, .ends = trace->left_behind};
        *expected_deaths += trace->left_behind;
    }
    for (size_t i = 0; i < EXITS_KEPT; i++)
        *expected_deaths += matching->doubtful_exits[i];
    for (size_t i = 0; i < matching->owners.count; i++) {
        const struct owner *owner = &matching->owners.items[i];
        size_t only = context_set_only(&owner->may_own);
        if (!is_established(owner) || only < first || only >= first + count)
            continue;
        before[only - first].lives = true;
        before[only - first].empty = owner->own;
    }
}

static void follow_list(struct step *step, uint64_t luid)
{
    struct wsl_matching *matching = step->matching;
    size_t first_before, first_after;
    size_t before_count =
        places_of(matching->contexts, matching->context_count, luid, &first_before);
    size_t after_count = places_of(step->after, step->after_count, luid, &first_after);
    struct context_before *before = ARENA_ARRAY(step->arena, struct context_before, before_count);
    struct measured *after = ARENA_ARRAY(step->arena, struct measured, after_count);
    struct context_set *may_be = ARENA_ARRAY(step->arena, struct context_set, before_count);
    struct context_set may_be_new;
    struct context_change change = {
        .before = before,
        .before_count = before_count,
        .after = after,
        .after_count = after_count,
        .expected_births = step->births_expected,
        .slack = step->seen->after_gap ? 2 : 1,
    };
    fill_before(step, first_before, before_count, before, &change.expected_deaths);
    for (size_t i = 0; i < after_count; i++)
        after[i] = step->after[first_after + i].trace.bytes;
    if (!wsl_contexts_follow(step->arena, &change, may_be, &may_be_new)) {
        step->contradicted = true;
        return;
    }
    for (size_t q = 0; q < after_count; q++) {
        bool continues = false;
        for (size_t i = 0; i < before_count; i++)
            if (context_set_has(&may_be[i], q)) {
                context_set_add(&step->may_be[first_before + i], first_after + q);
                continues = true;
            }
        if (context_set_has(&may_be_new, q))
            context_set_add(&step->may_be_new, first_after + q);
        if (!continues)
            context_set_add(&step->surely_new, first_after + q);
    }
}

/* Every adapter of either list, once. */
static void follow(struct step *step)
{
    const struct wsl_matching *matching = step->matching;
    size_t unused;
    step->may_be = ARENA_ARRAY(step->arena, struct context_set, matching->context_count);
    for (size_t i = 0; i < matching->context_count; i++)
        if (i == 0 || matching->contexts[i].luid != matching->contexts[i - 1].luid)
            follow_list(step, matching->contexts[i].luid);
    for (size_t i = 0; i < step->after_count; i++)
        if ((i == 0 || step->after[i].luid != step->after[i - 1].luid) &&
            places_of(matching->contexts, matching->context_count, step->after[i].luid, &unused) ==
                0)
            follow_list(step, step->after[i].luid);
}

static bool same_bytes(struct measured a, struct measured b)
{
    return a.known == b.known && a.value == b.value;
}

/* What is remembered of a context goes on where it is certain which one it is. */
static void carry_trace(const struct step *step, size_t place)
{
    struct foreign_trace *trace = &step->after[place].trace;
    const struct foreign_trace *from = NULL;
    size_t sources = context_set_has(&step->may_be_new, place);
    for (size_t i = 0; i < step->matching->context_count; i++)
        if (context_set_has(&step->may_be[i], place)) {
            const struct foreign_trace *source = &step->matching->contexts[i].trace;
            sources += context_set_only(&step->may_be[i]) == place ? 1 : 2;
            unsigned suspect = source->left_behind ? SUSPECT_SAMPLES + 1 : source->suspect;
            trace->suspect = suspect > trace->suspect ? suspect : trace->suspect;
            trace->noted |= source->noted && same_bytes(source->bytes, trace->bytes);
            from = source;
        }
    trace->suspect -= trace->suspect > 0;
    if (sources != 1 || !from) {
        trace->changed = from != NULL;
        return;
    }
    trace->left_behind = from->left_behind;
    if (trace->left_behind)
        trace->suspect = 0;
    bool same = same_bytes(from->bytes, trace->bytes);
    trace->changed = from->changed || !same;
    trace->steady = same ? from->steady + 1 : 0;
    trace->noted = from->noted && same;
}

struct context_set wsl_sample_zeros(const struct step *step)
{
    struct context_set zeros = {{0}};
    for (size_t i = 0; i < step->after_count; i++)
        if (step->after[i].trace.bytes.known && step->after[i].trace.bytes.value == 0)
            context_set_add(&zeros, i);
    return zeros;
}

static struct context_set all_of(size_t count)
{
    struct context_set all = {{0}};
    for (size_t i = 0; i < count; i++)
        context_set_add(&all, i);
    return all;
}

static struct context_set aside_of(const struct step *step)
{
    struct context_set aside = {{0}};
    for (size_t i = 0; i < step->after_count; i++)
        if (step->after[i].trace.left_behind)
            context_set_add(&aside, i);
    return aside;
}

static void continue_owner(const struct step *step, struct owner *owner,
                           const struct context_set *aside)
{
    struct context_set may_own = {{0}};
    for (size_t i = 0; i < step->matching->context_count; i++)
        if (context_set_has(&owner->may_own, i))
            context_set_join(&may_own, &step->may_be[i]);
    if (waits(owner))
        context_set_join(&may_own, &step->may_be_new);
    context_set_drop(&may_own, aside);
    owner->lost |= !waits(owner) && context_set_is_empty(&may_own);
    owner->may_own = may_own;
}

/* Nothing that fits explains the new list: nobody is matched any more. */
static void lose_all(const struct step *step)
{
    struct wsl_matching *matching = step->matching;
    for (size_t i = 0; i < matching->owners.count; i++) {
        matching->owners.items[i].may_own = all_of(step->after_count);
        matching->owners.items[i].lost = true;
    }
}

void wsl_sample_take(struct step *step)
{
    struct wsl_matching *matching = step->matching;
    read_lists(step);
    if (matching->started)
        follow(step);
    if (step->contradicted) {
        lose_all(step);
        step->may_be_new = step->surely_new = (struct context_set){{0}};
    } else if (matching->started) {
        for (size_t i = 0; i < step->after_count; i++)
            carry_trace(step, i);
        struct context_set aside = aside_of(step);
        for (size_t i = 0; i < matching->owners.count; i++)
            continue_owner(step, &matching->owners.items[i], &aside);
    } else {
        step->may_be_new = step->surely_new = all_of(step->after_count);
    }
    struct context_set zeros = wsl_sample_zeros(step);
    for (size_t i = 0; i < matching->owners.count; i++)
        if (matching->owners.items[i].own)
            context_set_keep(&matching->owners.items[i].may_own, &zeros);
}

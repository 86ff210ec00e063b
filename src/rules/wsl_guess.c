#include "rules/wsl_guess.h"

#include <stdlib.h>

static int newest_first(const void *a, const void *b)
{
    const struct guess_holder *left = *(const struct guess_holder *const *)a;
    const struct guess_holder *right = *(const struct guess_holder *const *)b;
    if (left->identity.start_stamp != right->identity.start_stamp)
        return left->identity.start_stamp > right->identity.start_stamp ? -1 : 1;
    return left->identity.pid > right->identity.pid ? -1 : 1;
}

/* True when all that it may own, and is free, is on one adapter. */
static bool is_of(const struct guess_holder *holder, const struct guess_context *contexts,
                  size_t count, uint64_t luid)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (contexts[i].taken || !context_set_has(&holder->may_own, i))
            continue;
        if (contexts[i].luid != luid)
            return false;
        found = true;
    }
    return found;
}

/* Takes out what is surplus of one adapter's free contexts. */
static void leave_surplus(struct guess_context *contexts, size_t count, uint64_t luid,
                          size_t wanted)
{
    size_t is_free = 0;
    for (size_t i = 0; i < count; i++)
        is_free += contexts[i].luid == luid && !contexts[i].taken;
    for (int foreign = 1; foreign >= 0; foreign--)
        for (size_t i = count; i-- > 0 && is_free > wanted;)
            if (contexts[i].luid == luid && !contexts[i].taken &&
                (contexts[i].foreign || !foreign)) {
                contexts[i].taken = true;
                is_free--;
            }
}

static void guess_adapter(struct arena *arena, struct guess_holder *const *sorted,
                          size_t sorted_count, struct guess_context *contexts, size_t count,
                          uint64_t luid)
{
    struct guess_holder **holders = ARENA_ARRAY(arena, struct guess_holder *, sorted_count);
    size_t wanted = 0, from = 0;
    for (size_t i = 0; i < sorted_count; i++)
        if (is_of(sorted[i], contexts, count, luid))
            holders[wanted++] = sorted[i];
    if (wanted > 0)
        leave_surplus(contexts, count, luid, wanted);
    for (size_t i = 0; i < wanted; i++) {
        size_t place = from;
        while (place < count && (contexts[place].luid != luid || contexts[place].taken ||
                                 !context_set_has(&holders[i]->may_own, place)))
            place++;
        if (place == count)
            continue;
        holders[i]->place = place;
        from = place + 1;
    }
}

void wsl_guess(struct arena *arena, struct guess_holder *holders, size_t holder_count,
               struct guess_context *contexts, size_t context_count)
{
    struct guess_holder **sorted = ARENA_ARRAY(arena, struct guess_holder *, holder_count);
    size_t count = 0;
    for (size_t i = 0; i < holder_count; i++) {
        holders[i].place = SIZE_MAX;
        if (holders[i].wants)
            sorted[count++] = &holders[i];
    }
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, newest_first);
    for (size_t i = 0; i < context_count; i++)
        if (i == 0 || contexts[i].luid != contexts[i - 1].luid)
            guess_adapter(arena, sorted, count, contexts, context_count, contexts[i].luid);
}

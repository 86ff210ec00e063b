#include "rules/container_pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "rules/pairing_book.h"
#include "rules/pairing_order.h"

enum { ANCHORS_MAX = 64, DEVICES_MAX = 64 };

struct container_pairing {
    struct pairing_book book;
    struct anchor anchors[ANCHORS_MAX];
    size_t anchor_count;
    uint32_t batches;
    bool gap;          /* the refresh before this one was not complete */
    bool order_broken; /* a pin contradicted it: it gives no more matches */
    bool outside_seen; /* there were more host pids than candidates once */
};

struct container_pairing *container_pairing_new(void)
{
    return memory_new(sizeof(struct container_pairing));
}

void container_pairing_free(struct container_pairing **pairing)
{
    if (!*pairing)
        return;
    pairing_book_free(&(*pairing)->book);
    free(*pairing);
    *pairing = NULL;
}

/* May the new candidate be where the new host pid is listed? */
static bool may_be_on_devices(const struct pairing_facts *facts,
                              const struct pairing_changes *changes)
{
    uint64_t listed = 0, allowed = 0;
    for (size_t i = 0; i < facts->host_count; i++)
        if (facts->hosts[i].pid == changes->host->pid)
            listed = facts->hosts[i].devices;
    for (size_t i = 0; i < facts->candidate_count; i++)
        if (identity_equal(facts->candidates[i].identity, changes->candidate->identity))
            allowed = facts->candidates[i].devices;
    return (listed & ~allowed) == 0;
}

static void pin(struct container_pairing *pairing, const struct pairing_facts *facts,
                const struct pairing_changes *changes)
{
    if (pairing->book.refresh == 1 || pairing->gap || facts->doubtful || changes->new_hosts != 1 ||
        changes->new_candidates != 1)
        return;
    if (!may_be_on_devices(facts, changes))
        return;
    pairing_book_pair(changes->host, changes->candidate, BOOK_PINNED, 0);
    if (!pairing->order_broken && pairing_book_contradicts(&pairing->book, changes->host->pid,
                                                           changes->candidate->identity)) {
        pairing->order_broken = true;
        pairing_book_doubt_counts(&pairing->book);
    }
}

static void keep_anchor(struct container_pairing *pairing, const struct pairing_changes *changes)
{
    if (pairing->gap || changes->open_hosts_gone != 1 || changes->open_candidates_gone != 1)
        return;
    if (pairing->anchor_count == ANCHORS_MAX)
        memmove(pairing->anchors, pairing->anchors + 1,
                --pairing->anchor_count * sizeof *pairing->anchors);
    pairing->anchors[pairing->anchor_count++] = changes->ended;
}

static bool is_candidate_pid(const struct pairing_facts *facts, int64_t pid)
{
    for (size_t i = 0; i < facts->candidate_count; i++)
        if (facts->candidates[i].identity.pid == pid)
            return true;
    return false;
}

/* What is not matched. */
static struct open_sides open_of(const struct container_pairing *pairing, struct arena *arena,
                                 const struct pairing_facts *facts)
{
    struct open_sides sides = {
        .hosts = ARENA_ARRAY(arena, struct open_host, facts->host_count),
        .candidates = ARENA_ARRAY(arena, struct open_candidate, facts->candidate_count),
        .anchors = pairing->anchors,
        .anchor_count = pairing->anchor_count,
    };
    for (size_t i = 0; i < facts->host_count; i++) {
        const struct known_host *host = pairing_book_host(&pairing->book, facts->hosts[i].pid);
        if (!host || (host->how == BOOK_OPEN && !host->outside))
            sides.hosts[sides.host_count++] = (struct open_host){
                .pid = facts->hosts[i].pid,
                .devices = facts->hosts[i].devices,
                .first = host ? host->first : UINT32_MAX - 1,
                .at = i,
                .doubted = host && host->doubted,
            };
    }
    for (size_t i = 0; i < facts->candidate_count; i++) {
        const struct pairing_candidate *seen = &facts->candidates[i];
        const struct known_candidate *candidate =
            pairing_book_candidate(&pairing->book, seen->identity);
        if (candidate && candidate->paired)
            continue;
        sides.candidates[sides.candidate_count++] = (struct open_candidate){
            .identity = seen->identity,
            .parent_pid = seen->parent_pid,
            .devices = seen->devices,
            .first = candidate ? candidate->first : 0,
            .doubted = candidate && candidate->doubted,
            .has_candidate_parent = is_candidate_pid(facts, seen->parent_pid),
        };
    }
    return sides;
}

/* Devices that any candidate may use together with any other host pid's: what is in two groups can
 * be told apart by the devices alone. */
struct groups {
    uint64_t masks[DEVICES_MAX];
    size_t count;
};

static void join_group(struct groups *groups, uint64_t mask)
{
    size_t kept = 0;
    if (mask == 0)
        return;
    for (size_t i = 0; i < groups->count; i++) {
        if ((groups->masks[i] & mask) != 0)
            mask |= groups->masks[i];
        else
            groups->masks[kept++] = groups->masks[i];
    }
    groups->masks[kept++] = mask;
    groups->count = kept;
}

static struct groups groups_of(const struct open_sides *sides)
{
    struct groups groups = {.count = 0};
    uint64_t all = 0;
    for (size_t i = 0; i < sides->host_count; i++) {
        all |= sides->hosts[i].devices;
        join_group(&groups, sides->hosts[i].devices);
    }
    for (size_t i = 0; i < sides->candidate_count; i++)
        join_group(&groups, sides->candidates[i].devices & all);
    return groups;
}

/* The part of the sides in one group. */
static struct open_sides part_of(struct arena *arena, const struct open_sides *sides,
                                 uint64_t devices)
{
    struct open_sides part = {
        .hosts = ARENA_ARRAY(arena, struct open_host, sides->host_count),
        .candidates = ARENA_ARRAY(arena, struct open_candidate, sides->candidate_count),
    };
    for (size_t i = 0; i < sides->host_count; i++)
        if ((sides->hosts[i].devices & devices) != 0)
            part.hosts[part.host_count++] = sides->hosts[i];
    for (size_t i = 0; i < sides->candidate_count; i++)
        if ((sides->candidates[i].devices & devices) != 0)
            part.candidates[part.candidate_count++] = sides->candidates[i];
    return part;
}

/* Counts match: is there anything against pairing them in order? */
static bool holds_in_order(const struct container_pairing *pairing, const struct open_sides *part,
                           bool wrapped)
{
    if (part->host_count > 1 && (pairing->order_broken || wrapped))
        return false;
    for (size_t i = 0; i < part->host_count; i++) {
        const struct open_host *host = &part->hosts[i];
        const struct open_candidate *candidate = &part->candidates[i];
        if (host->doubted || candidate->doubted || !open_is_possible(host, candidate, true))
            return false;
        if (pairing->outside_seen && host->first > candidate->first)
            return false;
        if (i > 0 &&
            identity_start_is_unclear(part->candidates[i - 1].identity, candidate->identity))
            return false;
        if (!pairing->order_broken &&
            pairing_book_contradicts(&pairing->book, host->pid, candidate->identity))
            return false;
    }
    return true;
}

static void match_counts(struct container_pairing *pairing, struct arena *arena,
                         const struct open_sides *sides, bool wrapped)
{
    struct groups groups = groups_of(sides);
    for (size_t i = 0; i < groups.count; i++) {
        struct open_sides part = part_of(arena, sides, groups.masks[i]);
        if (part.host_count != part.candidate_count || !holds_in_order(pairing, &part, wrapped))
            continue;
        pairing->batches++;
        for (size_t k = 0; k < part.host_count; k++)
            pairing_book_pair(pairing_book_host(&pairing->book, part.hosts[k].pid),
                              pairing_book_candidate(&pairing->book, part.candidates[k].identity),
                              BOOK_COUNTED, pairing->batches);
    }
}

static void conclude(struct container_pairing *pairing, struct arena *arena,
                     const struct pairing_facts *facts)
{
    struct pairing_changes changes = pairing_book_see(&pairing->book, facts);
    keep_anchor(pairing, &changes);
    pin(pairing, facts, &changes);
    bool settled = !pairing->gap && changes.open_hosts_gone + changes.open_candidates_gone == 0;
    pairing->gap = false;
    if (facts->doubtful)
        return;
    struct open_sides sides = open_of(pairing, arena, facts);
    bool wrapped = open_sides_sort(&sides, facts->pid_max);
    if (settled)
        match_counts(pairing, arena, &sides, wrapped);
    pairing->outside_seen |= sides.host_count > sides.candidate_count;
}

static void guess(const struct container_pairing *pairing, struct arena *arena,
                  const struct pairing_facts *facts, struct pair *pairs)
{
    struct open_sides sides = open_of(pairing, arena, facts);
    if (open_sides_sort(&sides, facts->pid_max) || pairing->order_broken)
        sides.anchor_count = 0;
    size_t *chosen = ARENA_ARRAY(arena, size_t, sides.host_count);
    pairing_guess(arena, &sides, chosen);
    for (size_t i = 0; i < sides.host_count; i++)
        if (chosen[i] != SIZE_MAX)
            pairs[sides.hosts[i].at] =
                (struct pair){.mark = PAIR_GUESS, .identity = sides.candidates[chosen[i]].identity};
}

struct pair *container_pairing_step(struct container_pairing *pairing, struct arena *arena,
                                    const struct pairing_facts *facts)
{
    struct pair *pairs = ARENA_ARRAY(arena, struct pair, facts->host_count);
    if (facts->complete)
        conclude(pairing, arena, facts);
    else
        pairing->gap = true;
    guess(pairing, arena, facts, pairs);
    for (size_t i = 0; i < facts->host_count; i++) {
        const struct known_host *host = pairing_book_host(&pairing->book, facts->hosts[i].pid);
        if (host && host->how != BOOK_OPEN && host->partner_gone == 0)
            pairs[i] = (struct pair){.mark = PAIR_MATCHED, .identity = host->partner};
    }
    return pairs;
}

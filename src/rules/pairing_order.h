/* Order on both sides of a pairing, and the best guess that keeps it. Pure. */
#ifndef RULES_PAIRING_ORDER_H
#define RULES_PAIRING_ORDER_H

#include "rules/container_pairing.h"

/* A host or candidate that is not resolved, with what its history says. */
struct open_host {
    int64_t pid;
    uint64_t devices;
    uint32_t first; /* refresh of its first sight */
    size_t at;      /* its place in pairing_facts.hosts */
    bool doubted;   /* it was part of a match that turned out wrong */
};

struct open_candidate {
    struct identity identity;
    int64_t parent_pid;
    uint64_t devices;
    uint32_t first;
    bool doubted, has_candidate_parent;
};

/* A pair that ended together: nothing crosses it. */
struct anchor {
    int64_t host_pid;
    struct identity identity;
};

struct open_sides {
    struct open_host *hosts; /* in the order of their start */
    size_t host_count;
    struct open_candidate *candidates; /* in the order of their start */
    size_t candidate_count;
    const struct anchor *anchors;
    size_t anchor_count;
};

/* By start stamp, then pid; as for qsort(). */
int identity_start_compare(struct identity a, struct identity b);
/* True when the two cannot be told apart by their start: stamps a tick apart, numbers the other way
 * round. */
bool identity_start_is_unclear(struct identity earlier, struct identity later);

/* Brings both sides in order. Host numbers that span more than half the counter have wrapped: the
 * order then begins behind the largest gap. True when that happened. */
bool open_sides_sort(struct open_sides *sides, int64_t pid_max);
/* May this host pid be this candidate, by devices and by time? `certain`: as a match needs it; a
 * refresh less strict otherwise, since the two sides are read at two moments. */
bool open_is_possible(const struct open_host *host, const struct open_candidate *candidate,
                      bool certain);
/* The guess: as many pairs as order and possibility allow; of those the one
 * with most pairs first seen in one refresh, then the one that leaves aside the
 * oldest host pids, and candidates without a context of their own (those with a parent that is a
 * candidate: forked workers), then the youngest. `chosen`: for each host the place of its candidate
 * or SIZE_MAX. */
void pairing_guess(struct arena *arena, const struct open_sides *sides, size_t *chosen);

#endif

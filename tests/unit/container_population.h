/* A random container on a host, with a known truth: own processes whose contexts come late or
 * never, processes outside, ends that one side sees a refresh later, starts at one clock tick, pids
 * that wrap and are used again on both sides, refreshes that are lost, processes that may not be
 * read.
 *
 * Two things are left out, because nothing that can be seen from inside tells them: outside
 * processes and own candidates without a context that balance exactly, and one of each that begin
 * in the very same refresh. More processes outside are started where that would happen. And the
 * host's counter makes less than half a turn while any two of the processes live. */
#ifndef CONTAINER_POPULATION_H
#define CONTAINER_POPULATION_H

#include "rules/container_pairing.h"

enum { MEMBERS_MAX = 64, DEVICES = 3 };

struct member {
    bool own, alive, unreadable;
    struct identity identity; /* of an own one */
    int64_t host_pid;
    int64_t turn; /* the host counter without wrapping, for the half turn */
    uint64_t devices, visible_devices;
    int candidate_at, context_at, context_ends_at, ends_at; /* refreshes */
    bool listed, seen;         /* in this refresh: its host pid; as a candidate */
    bool was_listed, was_seen; /* in the one before */
    bool lingers;              /* ended in this refresh, and one side has not noticed */
};

struct population {
    uint64_t random;
    struct member members[MEMBERS_MAX];
    size_t count;
    int64_t host_turn, pid_max, local_pid;
    uint64_t clock_ticks;
    int refresh;
    bool knows_devices, has_outside, host_first;
    bool unrestricted; /* the two cases are not left out */

    struct pairing_host hosts[MEMBERS_MAX];
    struct pairing_candidate candidates[MEMBERS_MAX];
    struct pairing_facts facts; /* of this refresh */
};

void population_start(struct population *population, uint64_t seed);
void population_step(struct population *population);
/* Whose host pid it is now; NULL: nobody's here. */
const struct member *population_owner(const struct population *population, int64_t host_pid);

#endif

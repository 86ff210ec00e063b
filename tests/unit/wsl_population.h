/* A random WSL virtual machine with a known truth: own processes that open /dev/dxg long after they
 * started and whose contexts come up to two samples late, contexts of others that come and go,
 * contexts that grow and shrink, equal sizes, several at once, exits whose contexts linger, pids
 * that are used again, refreshes without a new sample, several adapters.
 *
 * Two things are left out, because nothing that can be seen tells them: a context of others that
 * appears in a sample in which a process of ours waits for its own; and one that begins in the very
 * sample in which another of just its size ends. */
#ifndef WSL_POPULATION_H
#define WSL_POPULATION_H

#include "rules/wsl_matching.h"

enum { WSL_MEMBERS_MAX = 64, WSL_ADAPTERS = 2 };

struct wsl_member {
    bool alive; /* holds /dev/dxg; of others: has a context */
    bool local, own;
    struct identity identity;
    int opens_at, context_at, context_ends_at; /* refreshes */
    bool begins, listed;                       /* its context is in the sample */
    int64_t bytes, shown_bytes;                /* shown: in the newest sample */
    uint64_t born;                             /* order of contexts; greater is newer */
    size_t adapter;
};

struct wsl_population {
    uint64_t random;
    struct wsl_member members[WSL_MEMBERS_MAX];
    size_t count;
    uint64_t births, stamp, opened;
    int refresh;
    size_t adapters;
    int restless; /* percent of contexts that change in a sample */

    struct measured sizes[WSL_ADAPTERS][WSL_MEMBERS_MAX];
    struct wsl_context_list lists[WSL_ADAPTERS];
    struct wsl_holder holders[WSL_MEMBERS_MAX];
    struct wsl_seen seen; /* of this refresh */
};

void wsl_population_start(struct wsl_population *population, uint64_t seed);
void wsl_population_step(struct wsl_population *population);
/* NULL when it holds no context in the newest sample. */
const struct wsl_member *wsl_population_of(const struct wsl_population *population,
                                           struct identity identity);

#endif

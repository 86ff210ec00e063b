/* Which guest context of the WSL virtual machine is which Linux process's? A step over a state.
 *
 * Windows shows one memory instance of vmwp.exe per guest context, newest first, without owners.
 * Each Linux process with /dev/dxg open has exactly one; those of other distributions, WSLg, Docker
 * and services that we may not read lie between ours. For every process the step keeps the contexts
 * that it may own; what nobody can own is outside, for as long as it lives.
 *
 * A match (*): all explanations agree on the size. That is what is left by elimination, equal
 * sizes, one process and one context that appear together (several, where their sizes agree), and
 * our own context, which has 0 bytes. A context of a process that ended is held aside until it
 * disappears; a context that grows keeps its owner.
 * A guess (?): newest to newest, with the surplus left aside: first sizes that are known to be
 * foreign, then the oldest. It is made anew at each step and is never evidence.
 *
 * The premises that are left: at our start every process has its context; later it comes within two
 * samples; no outside context appears just in a sample in which a new process waits for its own;
 * and none begins in the very sample in which another of just its size ends. Nothing that can be
 * seen tells those apart.
 *
 * Contexts are those of the sample taken before the processes were looked at. Source: SPEC section
 * 5 (WSL), reference nvidia.md section 9. */
#ifndef RULES_WSL_MATCHING_H
#define RULES_WSL_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/identity.h"
#include "reading/measured.h"
#include "rules/container_pairing.h"
#include "rules/wsl_foreign.h"

/* The contexts on one adapter of the host, newest first. */
struct wsl_context_list {
    uint64_t luid;
    const struct measured *sizes;
    size_t count;
};

/* A local process with /dev/dxg open. */
struct wsl_holder {
    struct identity identity;
    bool own; /* this program or its helper: it has only asked NVML, so its context has 0 bytes */
};

struct wsl_seen {
    bool new_sample; /* false: the lists are those of the step before */
    bool after_gap;  /* samples were missed before this one */
    const struct wsl_context_list *lists;
    size_t list_count;
    const struct wsl_holder *holders; /* each identity once */
    size_t holder_count;
};

struct wsl_match {
    enum pair_mark mark; /* PAIR_NONE: no context could be assigned */
    uint64_t luid;
    int64_t bytes;
};

struct wsl_matching;

struct wsl_matching *wsl_matching_new(void);
void wsl_matching_free(struct wsl_matching **matching);
/* Forgets contexts and owners (another virtual machine, the host's side switched off); keeps what
 * is known to be foreign. */
void wsl_matching_forget(struct wsl_matching *matching);
/* One match a holder, in `arena`, which is scratch memory too. */
struct wsl_match *wsl_matching_step(struct wsl_matching *matching, struct arena *arena,
                                    const struct wsl_seen *seen);
/* Of an earlier run in this boot; before the first step. */
void wsl_matching_set_foreign(struct wsl_matching *matching, const struct foreign_sizes *sizes);
const struct foreign_sizes *wsl_matching_foreign(const struct wsl_matching *matching);

#endif

/* What the parts of wsl_matching share: its state, and one step's work on it. Nobody else includes
 * it. */
#ifndef RULES_WSL_MATCHING_PARTS_H
#define RULES_WSL_MATCHING_PARTS_H

#include "rules/wsl_bits.h"
#include "rules/wsl_matching.h"

enum {
    LATE_SAMPLES = 2,    /* a context comes that much later than /dev/dxg is opened, at most */
    SUSPECT_SAMPLES = 2, /* and goes that much later */
    EXITS_KEPT = SUSPECT_SAMPLES + 1,
};

struct context {
    uint64_t luid;
    struct foreign_trace trace;
};

struct owner {
    struct identity identity;
    struct context_set may_own;
    uint64_t first_sample; /* in which it was seen */
    bool own;
    bool settled;   /* it must have a context by now */
    bool explained; /* and in the last step all that compete with it had one */
    bool lost;      /* what it had went away while it lived: only guesses */
    bool present;
};

struct wsl_matching {
    struct context contexts[WSL_CONTEXTS_MAX];
    size_t context_count;
    struct {
        struct owner *items;
        size_t count, capacity;
    } owners;
    struct foreign_sizes foreign;
    /* Ends of processes of which it is not known which context they had, in the newest samples. */
    size_t doubtful_exits[EXITS_KEPT];
    uint64_t sample;
    bool started;
};

/* What one step works with. */
struct step {
    struct wsl_matching *matching;
    struct arena *arena;
    const struct wsl_seen *seen;
    struct context *after; /* the new contexts */
    size_t after_count;
    struct context_set *may_be;    /* of each context before */
    struct context_set may_be_new; /* after */
    struct context_set surely_new;
    size_t births_expected;
    bool contradicted;
};

/* Waits for a context: it has none yet, or not enough are there. */
static inline bool waits(const struct owner *owner)
{
    return !owner->settled || !owner->explained;
}

/* It is known that it has one of those that it may own. */
static inline bool is_established(const struct owner *owner)
{
    return !waits(owner) && !owner->lost;
}

/* Follows the contexts of the step before into those of a new sample, and what each owner may own.
 */
void wsl_sample_take(struct step *step);
/* The new contexts of 0 bytes. */
struct context_set wsl_sample_zeros(const struct step *step);

#endif

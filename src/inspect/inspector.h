/* The inspector: gathers facts about single processes on at most two worker threads, never in the
 * way of a refresh. The sampler says whom it wants to know about, in order of importance, and takes
 * what is there; what is gathered is immutable and counted by reference. A worker that hangs in the
 * kernel holds no lock and is abandoned at the end.
 *
 * A process is gathered anew when its descriptors, its address space or its memory change: at once,
 * and at most every 15 s while it goes on changing. Else every 15 s while it is selected, and ever
 * less often while it is not (up to 2 minutes while it may hold a model, 8 otherwise). Its server
 * is asked every 3 s while it is on screen, ever less often while it does not answer. */
#ifndef INSPECT_INSPECTOR_H
#define INSPECT_INSPECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/reference.h"
#include "inspect/gathered.h"
#include "os/machine.h"

struct inspector;

/* What is known of one process at one moment. */
struct inspection {
    struct reference reference;
    struct arena *arena;
    struct gathered gathered;
    int64_t gathered_ns;            /* thread_clock_ns() */
    struct inspection_parts *parts; /* private: what is shared with later ones */
};

struct inspection *inspection_take(const struct inspection *inspection);
void inspection_drop(struct inspection **inspection);

/* One process that somebody wants to know about. */
struct inspection_wish {
    struct identity identity;
    int64_t start_wall_ns;        /* wall clock of its start; 0: unknown */
    int64_t descriptor_count;     /* -1: unknown */
    int64_t memory_bytes;         /* measured or matched, of all adapters; -1: unknown */
    uint64_t address_space_bytes; /* 0: unknown */
    bool on_screen;               /* its live figures are looked at */
    bool selected;                /* the inspector shows it */
};

enum { INSPECTION_WISHES_MAX = 256 };

/* `no_probe`: no server is asked for anything. On a recorded machine none ever is. Threads start
 * with the first wish. */
struct inspector *inspector_new(struct machine *machine, bool no_probe);
/* Replaces the wishes; the most important first. Whoever is not among them is forgotten. */
void inspector_want(struct inspector *inspector, const struct inspection_wish *wishes,
                    size_t count);
/* Waits until every wish has been gathered at least once, or thread_clock_ns() passes `until_ns`.
 * For recorded machines and one-shot output; a live screen does not wait. */
bool inspector_wait(struct inspector *inspector, int64_t until_ns);
/* The newest inspections of all that are wanted and say anything, at most `most`: how many. The
 * caller holds a reference to each. */
size_t inspector_take_all(struct inspector *inspector, struct inspection **taken, size_t most);
/* A recorded machine moves to its next sample: everything is gathered again. Waits for the workers
 * to finish what they read of the old one, at most until `until_ns`. */
void inspector_next_sample(struct inspector *inspector, int64_t until_ns);
/* False when a worker is stuck: what it uses, the machine included, must stay. */
bool inspector_close(struct inspector **inspector, int64_t patience_ns);

#endif

/* Which host pid is which process of this container? A step over a state.
 *
 * Input of a refresh: the host pids of NVML's compute lists over all devices together, and the
 * container's candidates: processes that have libcuda mapped. Output: for each host pid the
 * candidate it belongs to, matched (*) or guessed (?), or none: it is outside this container.
 *
 * Both sides are numbered by fork, so order holds however late a context comes (reference nvidia.md
 * section 6). What gives a match, and nothing else does:
 *   - counts: as many unresolved host pids as unresolved candidates, in order, among those that may
 *     be on the same devices;
 *   - pin: exactly one of each is new in the same refresh. It holds for as long as both live.
 * What forbids one: an unreadable candidate or anything else that makes the facts doubtful; a host
 * pid that was listed before the candidate could have had a context; numbers so far apart that the
 * host's counter may have wrapped between them, or starts too close to tell; an order that a pin
 * contradicted; a candidate that waited without a context while processes outside are known; an end
 * on one side alone in this refresh (the two sides are read at two moments). A match by counts
 * ends, with all made at once with it, when one side outlives the other. A guess is made anew in
 * each refresh and is never evidence.
 *
 * The premise that is left: outside processes and candidates without a context do not balance
 * exactly (counts), and do not begin in the very same refresh one each (pins). Nothing that can be
 * seen from inside tells those apart. */
#ifndef RULES_CONTAINER_PAIRING_H
#define RULES_CONTAINER_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/identity.h"

struct pairing_host {
    int64_t pid;
    uint64_t devices; /* a bit an adapter it is listed on */
};

struct pairing_candidate {
    struct identity identity;
    int64_t parent_pid;
    uint64_t devices; /* those it may be on; UINT64_MAX: any */
};

struct pairing_facts {
    const struct pairing_host *hosts; /* ascending by pid, each once */
    size_t host_count;
    const struct pairing_candidate *candidates; /* each identity once */
    size_t candidate_count;
    bool
        complete; /* both sides were read whole; false: nothing is concluded from what is missing */
    bool doubtful;   /* unreadable candidates, MPS, a list that may be cut: no new match */
    int64_t pid_max; /* where the host's pids wrap; 0: unknown */
};

enum pair_mark { PAIR_NONE, PAIR_GUESS, PAIR_MATCHED };

struct pair {
    enum pair_mark mark;
    struct identity identity; /* meaningful while mark is not PAIR_NONE */
};

struct container_pairing;

struct container_pairing *container_pairing_new(void);
void container_pairing_free(struct container_pairing **pairing);
/* One pair a host of `facts`, in `arena`, which is scratch memory too. */
struct pair *container_pairing_step(struct container_pairing *pairing, struct arena *arena,
                                    const struct pairing_facts *facts);

#endif

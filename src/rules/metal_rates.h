/* Load of Metal clients, and the processes that macOS lists: what share of the time between two
 * samples each process's clients kept the GPU busy.
 *
 * A client is the same one in two samples by accelerator id, client id, the pid that opened it and
 * that process's start stamp. It adds the growth of its counter; one first seen after a complete
 * listing of its accelerator was born since and adds its whole counter, after a failed one it is a
 * baseline only. A counter that went down, a query that failed, or one that did before, is unknown.
 * Clients that closed take nothing away and hide nothing. A process of which some clients are
 * unknown, or whose accelerator's clients were not all listed, has a lower bound.
 * The sum is not cut at 100: channels overlap. Source: SPEC section 5 (macOS).
 *
 * Another user's process with a measured 0 is left out, unless it is WindowServer. */
#ifndef RULES_METAL_RATES_H
#define RULES_METAL_RATES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "reading/metal.h"
#include "rules/rates.h"

/* One process on one accelerator. */
struct metal_row {
    size_t process;     /* in metal_reading.processes */
    size_t accelerator; /* in metal_reading.accelerators */
    size_t client_count;
    struct rate load;
    bool load_is_lower_bound;
    bool left_out; /* another user's idle process */
};

struct metal_rows {
    struct metal_row *items;
    size_t count;
};

struct metal_rates;

struct metal_rates *metal_rates_new(void);
void metal_rates_free(struct metal_rates **rates);
/* Forgets all counters: after a pause the next step gives no rates. */
void metal_rates_forget(struct metal_rates *rates);
/* Rows by process, in the order of metal_reading.processes, allocated in `arena`. */
void metal_rates_step(struct metal_rates *rates, struct arena *arena,
                      const struct metal_reading *reading, struct metal_rows *rows);

#endif

/* Load of DRM clients: what share of an engine's time a client used between two samples.
 *
 * Input: the clients of this pass (rules/clients.h); state: the largest counters of earlier passes,
 * keyed by (adapter, client id). Output: for each client one rate an engine column.
 *
 * Sources: Documentation/gpu/drm-usage-stats.rst (a counter that steps back keeps its larger value
 * as baseline until it is exceeded; capacity; cycles and total cycles), SPEC section 5.
 * - The time between two samples is that between the two reads of this client, not of the passes.
 * - busy ns / elapsed ns, else cycles / total cycles, else cycles / (max frequency * elapsed time);
 *   each divided by the number of identical engines. It may pass 100 (several queues).
 * - A client seen for the first time, or whose holder is another than last time (it may have been
 *   used by the former), needs two samples.
 * - Engines of one column overlap in time (v3d bin and render, panfrost fragment and vertex-tiler):
 *   the column is the busiest of them, never their sum. Clients of one process do add up.
 * - The load of a process is its busiest column: a sum over engines would mislead, since they run
 *   side by side. */
#ifndef RULES_RATES_H
#define RULES_RATES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "reading/engines.h"
#include "reading/reasons.h"
#include "rules/clients.h"

struct rate {
    double percent; /* 0 while unknown */
    bool known;
    enum reason why_not; /* while not known */
};

struct client_rates {
    struct rate columns[ENGINE_COUNT]; /* not_reported where the driver gives none */
};

struct rates;

struct rates *rates_new(void);
void rates_free(struct rates **rates);
/* Forgets all counters: after a pause the next step gives no rates. */
void rates_forget(struct rates *rates);
/* One entry a client of `list`, in its order, allocated in `arena`. Clients that are no longer
 * listed are forgotten. */
const struct client_rates *rates_step(struct rates *rates, struct arena *arena,
                                      const struct client_list *list);

/* A rate that is known, and one that is not. */
struct rate rate_known(double percent);
struct rate rate_unknown(enum reason why_not);

/* Adds the rates of one client to the columns of its process. `sum` starts as not_reported; one
 * client without a rate makes the column unknown (never a silent part of the whole). */
void rates_add(struct rate sum[ENGINE_COUNT], const struct client_rates *client);
/* Decode and encode that share one ring (VCN 4 and later) become the video column. */
void rates_unify_video(struct rate columns[ENGINE_COUNT]);
/* The busiest column; unknown when a column that the driver delivers is unknown. */
struct rate rates_busiest(const struct rate columns[ENGINE_COUNT]);

#endif

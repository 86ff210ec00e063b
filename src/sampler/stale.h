/* Readings that have no figures to give: too old, or their driver failed. The adapters stay listed,
 * every figure unavailable with the reason. */
#ifndef SAMPLER_STALE_H
#define SAMPLER_STALE_H

#include <stdbool.h>

#include "reading/reading.h"

/* Copies the adapters' identities (id, names, nodes, kind, power state) of `from` into `to`, whose
 * arena owns them then; their figures_why_not is `reason`. `from` may be `to`. */
void reading_copy_identities(struct reading *to, const struct reading *from, enum reason reason);

/* True when an answer of `running_ns` is too old at `now_ns`: older than 3 s and than 3 intervals.
 */
bool reading_is_stale(int64_t running_ns, int64_t now_ns, int64_t interval_ns);

#endif

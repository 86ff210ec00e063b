/* When a query that could not be opened is tried again, and what it lacks is asked for again: every
 * 30 s (a driver was installed, a device restarted). One that fails mends itself (pdh_session.h).
 * Pure. Source: reference windows.md section 1.4. */
#ifndef GPU_WDDM_QUERY_RULE_H
#define GPU_WDDM_QUERY_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/wddm/pdh_raw.h"

/* A value; zeroed at the start. */
struct query_rule {
    bool waits;       /* something is missing, or the library is */
    int64_t tried_ns; /* running clock of the last try while it waits */
};

enum query_step {
    QUERY_COLLECT,     /* as it is */
    QUERY_ADD_MISSING, /* ask again for what could not be added, then collect */
    QUERY_OPEN,        /* open one, then collect */
    QUERY_WAIT,        /* there is no library: nothing now */
};

/* Before a collection. `is_open`: there is a query. */
enum query_step query_rule_next(const struct query_rule *rule, bool is_open, int64_t now_ns);
/* After QUERY_OPEN or QUERY_ADD_MISSING was done. */
void query_rule_tried(struct query_rule *rule, int64_t now_ns);
/* After a collection. */
void query_rule_saw(struct query_rule *rule, const struct pdh_collection *collection,
                    int64_t now_ns);

#endif

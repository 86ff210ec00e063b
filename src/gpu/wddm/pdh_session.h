/* A query over all the counters of the GPU, kept open: what can be added is added, what cannot
 * keeps its reason, and a query that fails three times in a row is opened anew. Over any table of
 * calls. Source: reference windows.md section 1. */
#ifndef GPU_WDDM_PDH_SESSION_H
#define GPU_WDDM_PDH_SESSION_H

#include "gpu/wddm/pdh_calls.h"
#include "gpu/wddm/pdh_raw.h"

enum { PDH_FAILURES_MAX = 3 };

struct pdh_session;

/* NULL: no query could be opened, *status says why. `calls` is copied. */
struct pdh_session *pdh_session_open(const struct pdh_calls *calls, uint32_t *status);
/* Adds again what could not be added, or what Windows said is gone. */
void pdh_session_add_missing(struct pdh_session *session);
/* Everything but the collection's own time. */
void pdh_session_collect(struct pdh_session *session, struct arena *arena,
                         struct pdh_collection *collection);
void pdh_session_close(struct pdh_session **session);

#endif

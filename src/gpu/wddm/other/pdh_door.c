/* PDH is a library of Windows: elsewhere there is none. */
#include "gpu/wddm/pdh_raw.h"

struct pdh_query *pdh_query_open(uint32_t *status)
{
    *status = PDH_NOT_ASKED;
    return NULL;
}

void pdh_query_add_missing(struct pdh_query *query)
{
    (void)query;
}

void pdh_query_collect(struct pdh_query *query, struct arena *arena,
                       struct pdh_collection *collection)
{
    (void)query;
    (void)arena;
    *collection = (struct pdh_collection){.status = PDH_NOT_ASKED};
}

void pdh_query_close(struct pdh_query **query)
{
    *query = NULL;
}

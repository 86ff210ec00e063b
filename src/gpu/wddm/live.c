#include <stdlib.h>

#include "base/fatal.h"
#include "gpu/wddm/query_rule.h"
#include "gpu/wddm/wddm_source.h"

struct live_counters {
    struct pdh_query *query;
    struct query_rule rule;
    uint32_t status; /* of the last opening */
};

static void close_live(void *context)
{
    struct live_counters *live = context;
    if (live->query)
        pdh_query_close(&live->query);
    free(live);
}

static bool list(void *context, uint64_t sample, struct arena *arena,
                 struct adapter_facts_list *adapters)
{
    (void)context;
    (void)sample;
    return adapter_facts_list(arena, adapters);
}

static bool perf(void *context, uint64_t sample, uint64_t luid, uint32_t physical,
                 struct adapter_perf *answer)
{
    (void)context;
    (void)sample;
    return adapter_facts_perf(luid, physical, answer);
}

static void clocks(void *context, uint64_t sample, uint64_t luid, uint32_t physical,
                   struct measured *now_hz, struct measured *most_hz)
{
    (void)context;
    (void)sample;
    adapter_facts_clocks(luid, physical, now_hz, most_hz);
}

static void collect_nothing(uint32_t status, struct pdh_collection *collection)
{
    *collection = (struct pdh_collection){.status = status};
    for (int path = 0; path < PDH_PATH_COUNT; path++)
        collection->arrays[path].status = status;
}

static void collect(void *context, const struct pass *pass, struct arena *arena,
                    struct pdh_collection *collection)
{
    struct live_counters *live = context;
    enum query_step step = query_rule_next(&live->rule, live->query != NULL, pass->running_ns);
    if (step == QUERY_OPEN) {
        live->query = pdh_query_open(&live->status);
        query_rule_tried(&live->rule, pass->running_ns);
    } else if (step == QUERY_ADD_MISSING) {
        pdh_query_add_missing(live->query);
        query_rule_tried(&live->rule, pass->running_ns);
    }
    if (!live->query) {
        collect_nothing(live->status, collection);
        return;
    }
    pdh_query_collect(live->query, arena, collection);
    query_rule_saw(&live->rule, collection, pass->running_ns);
}

void wddm_source_live(struct wddm_source *source)
{
    *source = (struct wddm_source){
        .context = memory_new(sizeof(struct live_counters)),
        .close = close_live,
        .adapters = list,
        .perf = perf,
        .clocks = clocks,
        .collect = collect,
    };
}

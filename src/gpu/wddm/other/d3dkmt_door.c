/* D3DKMT is Windows' own: elsewhere no adapter is told by it. */
#include "gpu/wddm/adapter_facts.h"

bool adapter_facts_list(struct arena *arena, struct adapter_facts_list *list)
{
    (void)arena;
    *list = (struct adapter_facts_list){NULL, 0};
    return false;
}

bool adapter_facts_perf(uint64_t luid, uint32_t physical, struct adapter_perf *perf)
{
    (void)luid;
    (void)physical;
    *perf = (struct adapter_perf){0};
    return false;
}

void adapter_facts_clocks(uint64_t luid, uint32_t physical, struct measured *now_hz,
                          struct measured *most_hz)
{
    (void)luid;
    (void)physical;
    *now_hz = *most_hz = measured_unknown(REASON_not_reported);
}

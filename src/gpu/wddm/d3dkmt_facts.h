/* The facts of adapter_facts.h, over any table of D3DKMT's calls: those of Windows, or a stand-in
 * in the tests. Every handle that was opened is closed. */
#ifndef GPU_WDDM_D3DKMT_FACTS_H
#define GPU_WDDM_D3DKMT_FACTS_H

#include "gpu/wddm/adapter_facts.h"
#include "gpu/wddm/d3dkmt_abi.h"

enum {
    D3DKMT_ADAPTERS_MAX = 64,
    D3DKMT_ENUM_TRIES = 5,
    D3DKMT_NODES_MAX = 64,
};

/* Every one answers an NTSTATUS; one that is missing is NULL. */
struct d3dkmt_calls {
    int32_t (*enum3)(struct d3dkmt_enum3 *adapters); /* Windows 10 20H1 and later */
    int32_t (*enum2)(struct d3dkmt_enum2 *adapters);
    int32_t (*query)(const struct d3dkmt_query *query);
    int32_t (*open)(struct d3dkmt_open *adapter);
    int32_t (*close)(const struct d3dkmt_close *adapter);
};

/* As adapter_facts_list() and its like. */
bool d3dkmt_list(const struct d3dkmt_calls *calls, struct arena *arena,
                 struct adapter_facts_list *list);
bool d3dkmt_perf(const struct d3dkmt_calls *calls, uint64_t luid, uint32_t physical,
                 struct adapter_perf *perf);
void d3dkmt_clocks(const struct d3dkmt_calls *calls, uint64_t luid, uint32_t physical,
                   struct measured *now_hz, struct measured *most_hz);

#endif

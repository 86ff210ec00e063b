/* Who tells the Windows backend what it is made of: the live doors, or a recording. */
#ifndef GPU_WDDM_WDDM_SOURCE_H
#define GPU_WDDM_WDDM_SOURCE_H

#include <stdint.h>

#include "base/arena.h"
#include "gpu/wddm/adapter_facts.h"
#include "gpu/wddm/pdh_raw.h"
#include "os/machine.h"

struct wddm_source {
    void *context; /* NULL: nobody tells anything */
    /* How far apart the collections of a recording are at least; 0: as far as is asked for. */
    int64_t interval_ns;
    void (*close)(void *context);
    /* `sample` is the number of the pass. False: unknown, not none. */
    bool (*adapters)(void *context, uint64_t sample, struct arena *arena,
                     struct adapter_facts_list *list);
    bool (*perf)(void *context, uint64_t sample, uint64_t luid, uint32_t physical,
                 struct adapter_perf *perf);
    void (*clocks)(void *context, uint64_t sample, uint64_t luid, uint32_t physical,
                   struct measured *now_hz, struct measured *most_hz);
    void (*collect)(void *context, const struct pass *pass, struct arena *arena,
                    struct pdh_collection *collection);
};

/* live.c; the library is loaded at the first collection. */
void wddm_source_live(struct wddm_source *source);
/* recorded.c: counters.jsonl and adapters.json of GPUTASKMAN_RECORDED; what is malformed there is
 * told in `problem` and is not there. */
void wddm_source_recorded(const struct machine *machine, struct wddm_source *source,
                          struct problem *problem);

#endif

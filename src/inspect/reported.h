/* What a load log reports, as models of the snapshot. Pure. Everything made here has the basis
 * reported: it never reaches a total. */
#ifndef INSPECT_REPORTED_H
#define INSPECT_REPORTED_H

#include <stddef.h>

#include "base/arena.h"
#include "inspect/devices.h"
#include "inspect/load_log.h"
#include "snapshot/snapshot.h"

struct model_list {
    struct model *items; /* in the arena */
    size_t count;
};

/* The models of one run from the log alone, each with one entry in `devices` per buffer name of a
 * device ("CUDA0", "MTL0_Mapped", "RPC0[host:port]") and one, "host", for all host buffers. Output
 * buffers are `other`, LoRA buffers are weights of the adapter model, state counts as KV cache.
 * Adapter ids come from `scene` (NULL: none). A run that failed to load gives no model. The
 * evidence is `log`, `log_name` its detail (a path; may be none). */
struct model_list reported_models(struct arena *arena, const struct load_run *run,
                                  const struct device_scene *scene, struct text log_name,
                                  enum strength strength);

/* Puts the run's reports into `models`, which were found otherwise (by file, command line, API) and
 * may hold estimates. A model of the log is paired with one of them by path, then by the file's
 * name, then by kind while only one is left; one without a pair is appended. For every figure that
 * the log gives, the report replaces the estimate, which moves to estimated_*. Where the log gives
 * buffers of a kind (weights, cache ...) for a model, a device that it does not name for that kind
 * keeps its estimate only in estimated_*: the log would have named it. Devices are one per device
 * name here (MTL0_Mapped is folded into MTL0). Adds the evidence `log`. */
struct model_list reported_merge(struct arena *arena, const struct load_run *run,
                                 const struct device_scene *scene, struct model_list models,
                                 struct text log_name, enum strength strength);

#endif

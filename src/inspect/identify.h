/* Which models a process holds, from what was gathered about it. Pure.
 *
 * Evidence, strongest first: the answer of its own server (proof), its command line, a mapped or
 * open file, its own load log (strong), what its parent says, a store's or program's name (hint). A
 * library alone never names a model. A file that a process has is not thereby on a GPU: where the
 * bytes are is the runtime's word (log) or an estimate from its flags, and unknown otherwise. */
#ifndef INSPECT_IDENTIFY_H
#define INSPECT_IDENTIFY_H

#include <stddef.h>

#include "base/arena.h"
#include "inspect/gathered.h"
#include "inspect/reported.h"
#include "snapshot/snapshot.h"

struct identify_scene {
    const struct adapter *adapters; /* of the snapshot */
    size_t adapter_count;
    const struct gpu_use *uses; /* the process's */
    size_t use_count;
};

enum { IDENTIFIED_MODELS_MAX = 64 };

/* The models with their evidence, devices and live figures; everything in the arena. */
struct model_list identify(struct arena *arena, const struct gathered *gathered,
                           const struct identify_scene *scene);

#endif

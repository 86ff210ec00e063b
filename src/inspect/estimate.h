/* Where the bytes of a model would be when llama.cpp holds it with given flags on given devices:
 * weights, KV cache (with recurrent state), compute buffers. Pure. Figures are estimated; what the
 * verified formulas (docs/model-files.md) do not cover is unavailable, never a smaller number. */
#ifndef INSPECT_ESTIMATE_H
#define INSPECT_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/problem.h"
#include "inspect/files/model_file.h"
#include "inspect/runtime_flags.h"
#include "reading/measured.h"
#include "snapshot/snapshot.h"

/* A device as the runtime names it, in the runtime's order. */
struct estimate_device {
    struct text name;       /* "CUDA0" */
    struct text adapter_id; /* none: not one of ours (remote, unknown) */
    struct measured free_bytes, total_bytes;
};

enum estimate_role {
    ESTIMATE_MODEL,     /* the main model */
    ESTIMATE_DRAFT,     /* -md: its own flags, the main model's batch sizes */
    ESTIMATE_PROJECTOR, /* --mmproj: whole on the main device or the host */
    ESTIMATE_ADAPTER,   /* --lora: split as `base` is */
};

struct estimate_input {
    const struct model_file *file;
    const struct model_file *base; /* of an adapter or a draft: the main model; may be NULL */
    enum estimate_role role;
    const struct runtime_flags *flags; /* NULL: the file alone; weights only, on the host */
    const struct estimate_device *devices;
    size_t device_count;
    /* llama.cpp build number ("b7347"); 0: the newest rules (2026-02 on). */
    int64_t build;
};

/* Fills the model: name, kind, format, sizes, layers_on_gpu, context, slots, and one entry in
 * `devices` per device and one for "host", all in the arena. path and evidence are the caller's.
 * False: the runtime refuses these flags for this model, *problem says why. */
bool estimate_model(struct arena *arena, const struct estimate_input *input, struct model *model,
                    struct problem *problem);

#endif

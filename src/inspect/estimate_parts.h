/* What estimate*.c share. Private to them. */
#ifndef INSPECT_ESTIMATE_PARTS_H
#define INSPECT_ESTIMATE_PARTS_H

#include "inspect/compute_buffer.h"
#include "inspect/estimate.h"
#include "inspect/kv_cache.h"
#include "inspect/placement.h"

/* One estimate at work. */
struct estimate {
    const struct estimate_input *input;
    struct arena *arena;
    const struct model_file *file;
    const struct runtime_flags *flags;
    const struct load_flags *load;
    enum llama_generation generation;
    bool flash_attention;
    size_t device_count;
    struct text names[RUNTIME_DEVICES_MAX];
    struct estimate_device devices[RUNTIME_DEVICES_MAX];
    struct context_memory memory;
    struct placement placement;
    struct placed_bytes weights, cache;
    struct compute_buffers compute;
    int64_t copies; /* rearranged copies in host memory; 0: none, or not known */
    bool placed, weights_known, cache_known;
};

/* Every layer and the output layer. */
int64_t estimate_all_layers(const struct model_file *file);

/* estimate_context.c: the context that the model is run with. */
bool estimate_has_context(const struct estimate *estimate);
/* Fills memory and compute, and the model's context and slots. False: the runtime refuses it. */
bool estimate_make_context(struct estimate *estimate, struct model *model, struct problem *problem);
bool estimate_uses_flash_attention(const struct runtime_flags *flags,
                                   enum llama_generation generation);
/* A second context predicts further tokens. */
bool estimate_has_mtp(const struct runtime_flags *flags);

/* estimate_compute.c: compute buffers of a placed model, in bytes; `estimate->compute` is known. */
int64_t estimate_device_compute(const struct estimate *estimate, size_t device);
int64_t estimate_host_compute(const struct estimate *estimate);
/* False: they take more than those say, by a rule that is not known. */
bool estimate_compute_is_whole(const struct estimate *estimate, size_t place_index);

#endif

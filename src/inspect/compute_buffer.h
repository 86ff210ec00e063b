/* Compute buffers of llama.cpp: upper-bound estimates, exact for plain models on one device. Pure.
 */
#ifndef INSPECT_COMPUTE_BUFFER_H
#define INSPECT_COMPUTE_BUFFER_H

#include "inspect/files/model_file.h"
#include "inspect/kv_cache.h"

struct compute_buffers {
    bool known;
    int64_t device_bytes; /* of each device that holds layers, without the masks */
    int64_t output_bytes; /* of a device that holds no layer with a cache */
    int64_t host_bytes;   /* beside devices that hold layers, without the masks */
    int64_t alone_bytes;  /* more on a host that computes everything itself, queries kept apart */
    /* What a batch is compared with, where there are layers that look at the whole context, and
     * where there are some with a window. Inputs: there are several copies in a pipeline. */
    int64_t full_mask_bytes, window_mask_bytes;
    int64_t least_bytes; /* logits of every token; 0: of few */
};

/* `all_outputs`: every token of a batch gets logits (builds before 2026, embeddings, perplexity).
 */
struct compute_buffers compute_buffers(const struct model_file *file,
                                       const struct context_memory *memory, bool flash_attention,
                                       bool all_outputs);

#endif

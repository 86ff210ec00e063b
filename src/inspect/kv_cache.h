/* Bytes of a context: KV cache and recurrent state of every layer. Pure. Verified to the byte
 * against llama.cpp v0.5.0 for the architectures that architectures.def gives a rule for. */
#ifndef INSPECT_KV_CACHE_H
#define INSPECT_KV_CACHE_H

#include "base/problem.h"
#include "inspect/files/model_file.h"
#include "inspect/runtime_flags.h"

/* Which generation of rules a llama.cpp build follows. */
enum llama_generation {
    LLAMA_2024,    /* to b4753: every layer full size, MLA decompressed */
    LLAMA_2025_06, /* about b5640: sliding windows, MLA with K and V, padding 32 or 256 */
    LLAMA_2025_12, /* about b7347: padding 256 */
    LLAMA_2026,    /* from b8121: MLA with K only, output layer offloaded first */
};
enum llama_generation llama_generation_of(int64_t build); /* 0: the newest */

struct context_wish {
    int64_t context; /* tokens, as asked for; 0: the trained one */
    int64_t slots;
    bool unified, swa_full, flash_attention;
    int64_t batch, ubatch;
    enum cache_type cache_k, cache_v;
    int64_t drafted; /* tokens that speculative decoding may take back; 0: none */
    bool nextn;      /* a second context for the next-token-prediction layers */
    enum llama_generation generation;
};

struct context_memory {
    int64_t context;  /* tokens in all; 0: unknown */
    int64_t sequence; /* tokens of one slot */
    int64_t ubatch;   /* as it is used */
    int64_t window_cells;
    int64_t mask_cells;      /* that a batch is compared with: both caches' where there are two */
    int64_t attention_cells; /* of the larger cache; 0: no attention over a cache */
    bool known;              /* bytes are */
    struct text why_not;     /* while they are not, for a person */
    int64_t layers[MODEL_LAYERS_MAX]; /* bytes of each */
};

/* False: the runtime refuses this, *problem says why. */
bool context_memory(const struct model_file *file, const struct context_wish *wish,
                    struct context_memory *memory, struct problem *problem);

#endif

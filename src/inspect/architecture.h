/* What llama.cpp keeps per layer for each architecture: attention cache, sliding window, recurrent
 * state. Pure; the table is architectures.def. */
#ifndef INSPECT_ARCHITECTURE_H
#define INSPECT_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/files/model_file.h"

enum memory_rule {
    MEMORY_UNVERIFIED,
    MEMORY_NOTHING,   /* no cache at all: a fact */
    MEMORY_ATTENTION, /* every layer of the trunk */
    MEMORY_FIRST_20,  /* only layers 0 to 19; later ones share theirs */
    MEMORY_EVERY_RECURRENT,
    MEMORY_BY_KV_HEADS,         /* recurrent where there are none */
    MEMORY_BY_KV_HEADS_AND_FFN, /* recurrent where both are 0; with an FFN neither */
    MEMORY_BY_INTERVAL,         /* attention in every k-th layer */
    MEMORY_BOTH,                /* attention and state in every layer */
};
enum state_rule { STATE_NONE, STATE_MAMBA, STATE_RWKV, STATE_LFM2, STATE_KIMI, STATE_MINIMAX };
enum window_rule {
    WINDOW_IGNORED,
    WINDOW_KEY,            /* the key, else the default; 0: none */
    WINDOW_LISTED,         /* the key, and the file must list the layers */
    WINDOW_FIXED,          /* the default whatever the key says; key 0: none */
    WINDOW_FIXED_WITH_KEY, /* the default where the key is above 0 */
    WINDOW_OF_64_LAYERS,   /* only models of 64 layers */
    WINDOW_ALL_WITH_KEY,   /* every attention layer where the key is above 0 */
};

struct architecture {
    const char *name;
    enum memory_rule memory;
    enum state_rule state;
    enum window_rule window;
    int64_t default_window, default_period;
    bool dense_first;
};

/* NULL: not known, or none. */
const struct architecture *architecture_find(struct text name);

/* One layer's share of the memory of a context. */
struct layer_memory {
    bool attention, recurrent, windowed;
};
/* `layer` of the model; next-token-prediction layers have attention only with `nextn`. */
struct layer_memory architecture_layer(const struct architecture *architecture,
                                       const struct model_shape *shape, int64_t layer, bool nextn);
/* Tokens of the sliding window; 0: none. */
int64_t architecture_window(const struct architecture *architecture,
                            const struct model_shape *shape);
/* False: a key that the layers depend on is missing. */
bool architecture_is_complete(const struct architecture *architecture,
                              const struct model_shape *shape);

#endif

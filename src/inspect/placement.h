/* On which device llama.cpp puts each layer and each tensor. Pure. */
#ifndef INSPECT_PLACEMENT_H
#define INSPECT_PLACEMENT_H

#include "base/problem.h"
#include "inspect/files/model_file.h"
#include "inspect/kv_cache.h"
#include "inspect/runtime_flags.h"

enum { PLACE_HOST = -1 };

struct placement {
    size_t device_count;
    int64_t gpu_layers;               /* layers on devices, the output layer counted */
    int8_t layers[MODEL_LAYERS_MAX];  /* device of each layer, or PLACE_HOST */
    int8_t output, main;              /* main: of a projector, of rows */
    bool spread;                      /* split by rows or tensors: weights on every device */
    bool spread_cache;                /* the KV cache too */
    float until[RUNTIME_DEVICES_MAX]; /* cumulative shares */
};

struct placement_wish {
    const struct load_flags *load;
    const struct runtime_flags *flags;
    int64_t gpu_layers; /* layers to offload, all of them at most */
    size_t device_count;
    /* Free bytes of each device, for the split that the runtime chooses; -1: unknown. */
    int64_t free_bytes[RUNTIME_DEVICES_MAX];
    enum llama_generation generation;
};

enum placement_result { PLACEMENT_KNOWN, PLACEMENT_UNKNOWN, PLACEMENT_REFUSED };

/* UNKNOWN: how the runtime splits over several devices depends on free memory that is not known. */
enum placement_result placement_make(const struct model_file *file,
                                     const struct placement_wish *wish, struct placement *placement,
                                     struct problem *problem);

/* Bytes by place; index 0 is the host, device d is d + 1. */
struct placed_bytes {
    int64_t bytes[RUNTIME_DEVICES_MAX + 1];
};

/* Weights of a whole model. `device_names` answer -ot. UNKNOWN: -ot is given and the file's tensor
 * names are not all kept. */
enum placement_result placement_weights(const struct model_file *file,
                                        const struct placement *placement,
                                        const struct load_flags *load,
                                        const struct text *device_names,
                                        struct placed_bytes *placed, struct problem *problem);
/* Host weights of a model that is wholly in mapped host memory: the ranges of the file, part by
 * part, from the first to the last tensor that stays there. *copies: bytes of the rearranged copies
 * that the CPU backend makes besides, if it `repacks`. False: the tensors are not all known. */
bool placement_mapped(const struct model_file *file, bool repacks, int64_t *mapped,
                      int64_t *copies);
/* KV cache and state by the layers' devices; `on_host`: all of it in host memory. */
void placement_cache(const struct placement *placement, const struct context_memory *memory,
                     size_t layer_count, bool on_host, struct placed_bytes *placed);

#endif

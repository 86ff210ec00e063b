/* Compute buffers by place. */
#include <string.h>

#include "base/lines.h"
#include "inspect/architecture.h"
#include "inspect/estimate_parts.h"

static bool holds_layers(const struct estimate *estimate, size_t device)
{
    const struct placement *placement = &estimate->placement;
    return placement->gpu_layers > 0 &&
           (placement->spread_cache || estimate->weights.bytes[device + 1] > 0 ||
            estimate->cache.bytes[device + 1] > 0);
}

/* Several devices work on successive batches at once (llama.cpp's pipeline parallelism), each batch
 * with inputs of its own. */
static int64_t input_copies(const struct estimate *estimate)
{
    enum { PIPELINE_COPIES = 4 };
    const struct placement *placement = &estimate->placement;
    size_t count = 0;
    for (size_t i = 0; i < estimate->device_count; i++) {
        count += holds_layers(estimate, i);
    }
    bool pipelined = count > 1 && !placement->spread && !estimate->flags->no_kv_offload &&
                     estimate->load->override_count == 0 &&
                     placement->gpu_layers >= estimate_all_layers(estimate->file);
    return pipelined ? PIPELINE_COPIES : 1;
}

/* Layers without a cache that attend to an earlier layer's. */
static bool shares_cache(const struct architecture *architecture, struct layer_memory layer)
{
    return (architecture->memory == MEMORY_ATTENTION || architecture->memory == MEMORY_FIRST_20) &&
           !layer.attention;
}

/* The masks that the layers of one place need; `device` PLACE_HOST: those of all. */
static int64_t mask_bytes(const struct estimate *estimate, int device)
{
    const struct placement *placement = &estimate->placement;
    const struct architecture *architecture = architecture_find(estimate->file->architecture);
    const struct model_shape *shape = &estimate->file->shape;
    bool known = architecture && estimate->memory.known && !placement->spread;
    bool full = !known, windowed = !known;
    for (int64_t i = 0; known && i < shape->layers; i++) {
        struct layer_memory layer =
            architecture_layer(architecture, shape, i, estimate_has_mtp(estimate->flags));
        bool here = layer.attention && (device == PLACE_HOST || placement->layers[i] == device);
        bool shared = shares_cache(architecture, layer) && placement->layers[i] == device;
        full |= shared || (here && !layer.windowed);
        windowed |= shared || (here && layer.windowed);
    }
    bool nothing = architecture && architecture->memory == MEMORY_NOTHING;
    return (full || nothing ? estimate->compute.full_mask_bytes : 0) +
           (windowed || nothing ? estimate->compute.window_mask_bytes : 0);
}

static int64_t at_least(const struct estimate *estimate, int64_t bytes)
{
    return bytes > estimate->compute.least_bytes ? bytes : estimate->compute.least_bytes;
}

/* A second context for next-token prediction has buffers of its own. */
static int64_t contexts(const struct estimate *estimate)
{
    return estimate_has_mtp(estimate->flags) && estimate->file->shape.nextn_layers > 0 ? 2 : 1;
}

static int64_t largest_cache(const struct estimate *estimate)
{
    int64_t most = 0;
    for (int64_t i = 0; estimate->memory.known && i < estimate->file->shape.layers; i++) {
        most = estimate->memory.layers[i] > most ? estimate->memory.layers[i] : most;
    }
    return most;
}

/* True when layers of this place look at a cache, their own or another layer's. */
static bool attends(const struct estimate *estimate, int device)
{
    const struct architecture *architecture = architecture_find(estimate->file->architecture);
    for (int64_t i = 0; i < estimate->file->shape.layers; i++) {
        if (estimate->placement.layers[i] != device) {
            continue;
        }
        struct layer_memory layer = {.attention = true};
        if (architecture && estimate->memory.known) {
            layer = architecture_layer(architecture, &estimate->file->shape, i,
                                       estimate_has_mtp(estimate->flags));
        }
        if (layer.attention || shares_cache(architecture, layer)) {
            return true;
        }
    }
    return estimate->placement.spread;
}

/* A device with layers, one with the output layer only, or one with nothing. A cache in host memory
 * is copied over layer by layer. */
int64_t estimate_device_compute(const struct estimate *estimate, size_t device)
{
    if (!holds_layers(estimate, device)) {
        return 0;
    }
    int64_t bytes = estimate->compute.output_bytes;
    if (attends(estimate, (int)device)) {
        bytes = estimate->compute.device_bytes +
                mask_bytes(estimate, (int)device) * input_copies(estimate) +
                (estimate->flags->no_kv_offload ? largest_cache(estimate) : 0);
    }
    return at_least(estimate, bytes) * contexts(estimate);
}

/* Queries, keys and values come from one matrix: then no copy of the queries is made. */
static bool is_fused(const struct model_file *file)
{
    struct tensor_cursor cursor = {0};
    const struct model_tensor *tensor;
    while ((tensor = model_file_next_tensor(file, &cursor))) {
        if (strstr(tensor->name, ".attn_qkv.")) {
            return true;
        }
    }
    return false;
}

/* Of a host that computes all or some layers. */
static int64_t computing_bytes(const struct estimate *estimate)
{
    const struct architecture *architecture = architecture_find(estimate->file->architecture);
    bool alone = architecture && architecture->state == STATE_NONE &&
                 architecture->memory != MEMORY_NOTHING && estimate->flash_attention &&
                 !is_fused(estimate->file);
    return at_least(estimate, estimate->compute.device_bytes + mask_bytes(estimate, PLACE_HOST) +
                                  (alone ? estimate->compute.alone_bytes : 0));
}

/* What it takes to feed the devices, or to compute the layers that stay here. */
int64_t estimate_host_compute(const struct estimate *estimate)
{
    bool on_devices = estimate->placement.gpu_layers > 0 && estimate->device_count > 0;
    bool all = estimate->placement.gpu_layers >= estimate_all_layers(estimate->file);
    int64_t masks = mask_bytes(estimate, PLACE_HOST);
    int64_t feeding = estimate->compute.host_bytes + masks * input_copies(estimate);
    int64_t computing = computing_bytes(estimate);
    int64_t bytes = !on_devices ? computing : all || feeding > computing ? feeding : computing;
    return bytes * contexts(estimate);
}

/* A device without any layer still computes: large batches are sent to it with the weights that
 * they need (llama.cpp's op offload), in a buffer that no rule gives. An RPC server takes none. */
static bool only_computes(const struct estimate *estimate, size_t device)
{
    struct text name = estimate->names[device];
    return estimate->placement.gpu_layers == 0 &&
           !raw_starts_with((struct raw_text){name.utf8, name.size}, "RPC");
}

/* Layers with attention and layers with none. */
static bool is_mixed(const struct estimate *estimate, const struct architecture *architecture)
{
    bool with = false, without = false;
    for (int64_t i = 0; i < estimate->file->shape.layers; i++) {
        struct layer_memory layer =
            architecture_layer(architecture, &estimate->file->shape, i, false);
        bool looks = layer.attention || shares_cache(architecture, layer);
        with |= looks && layer_number(&estimate->file->shape.kv_heads, i, 1) != 0;
        without |= !looks || layer_number(&estimate->file->shape.kv_heads, i, 1) == 0;
    }
    return with && without;
}

/* Recurrent layers, latent attention and encoders other than BERT take more than the formulas say;
 * short convolutions (LFM2)
 * hardly anything. Where attention has a device of its own the runtime does without flash
 * attention, if it may: with layers in between that have none nobody can tell beforehand. */
static bool is_verified(const struct estimate *estimate)
{
    const struct architecture *architecture = architecture_find(estimate->file->architecture);
    enum wish wish = estimate->flags->flash_attention;
    bool apart = estimate->flags->no_kv_offload ||
                 (estimate->placement.gpu_layers > 0 &&
                  estimate->placement.gpu_layers < estimate_all_layers(estimate->file));
    if (!architecture || architecture->memory == MEMORY_UNVERIFIED ||
        estimate->file->shape.kv_lora_rank > 0 ||
        (architecture->memory == MEMORY_NOTHING &&
         !text_equal_string(estimate->file->architecture, "bert")) ||
        (architecture->state != STATE_NONE && architecture->state != STATE_LFM2)) {
        return false;
    }
    return estimate->device_count == 0 || !apart || wish == WISH_ON || wish == WISH_OFF ||
           !is_mixed(estimate, architecture);
}

bool estimate_compute_is_whole(const struct estimate *estimate, size_t place_index)
{
    return is_verified(estimate) && (place_index == 0 || !only_computes(estimate, place_index - 1));
}

#include "inspect/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "inspect/files/tensor_group.h"
#include "inspect/name_pattern.h"

/* Cumulative shares of the devices, as llama.cpp normalises them (in single precision, too). */
static bool set_shares(const struct placement_wish *wish, struct placement *placement)
{
    float sum = 0;
    for (size_t i = 0; i < wish->device_count; i++) {
        float share;
        if (wish->flags->tensor_split_count > 0) {
            share = i < wish->flags->tensor_split_count ? (float)wish->flags->tensor_split[i] : 0;
        } else if (wish->device_count == 1) {
            share = 1;
        } else if (wish->free_bytes[i] >= 0) {
            share = (float)wish->free_bytes[i];
        } else {
            return false;
        }
        sum += share;
        placement->until[i] = sum;
    }
    if (sum <= 0) {
        return false;
    }
    for (size_t i = 0; i < wish->device_count; i++) {
        placement->until[i] /= sum;
    }
    return true;
}

static int8_t device_at(const struct placement *placement, float position)
{
    size_t device = 0;
    while (device + 1 < placement->device_count && placement->until[device] <= position) {
        device++;
    }
    return (int8_t)device;
}

static int8_t device_of(const struct placement *placement, int64_t layer, int64_t first,
                        int64_t count)
{
    if (layer < first || count <= 0) {
        return PLACE_HOST;
    }
    return placement->spread ? placement->main
                             : device_at(placement, (float)(layer - first) / (float)count);
}

static void place_layers(const struct placement_wish *wish, int64_t layer_count,
                         struct placement *placement)
{
    int64_t all = layer_count + 1;
    int64_t wanted = wish->gpu_layers < all ? wish->gpu_layers : all;
    placement->gpu_layers = wanted;
    /* Since 2026 the output layer is the first to be offloaded, before it was the last. */
    bool output_first = wish->generation == LLAMA_2026;
    int64_t first = output_first ? all - wanted : layer_count - wanted;
    first = first > 0 ? first : 0;
    for (int64_t layer = 0; layer < layer_count; layer++) {
        placement->layers[layer] = device_of(placement, layer, first, wanted);
    }
    placement->output = output_first || wanted == all
                            ? device_of(placement, layer_count, first, wanted)
                            : PLACE_HOST;
}

static int64_t layer_count_of(const struct model_file *file)
{
    int64_t layers = file->shape.layers > 0 ? file->shape.layers : (int64_t)file->layer_count;
    return layers < MODEL_LAYERS_MAX ? layers : MODEL_LAYERS_MAX;
}

enum placement_result placement_make(const struct model_file *file,
                                     const struct placement_wish *wish, struct placement *placement,
                                     struct problem *problem)
{
    const struct runtime_flags *flags = wish->flags;
    memset(placement, 0, sizeof *placement);
    memset(placement->layers, PLACE_HOST, sizeof placement->layers);
    placement->device_count = wish->device_count;
    placement->output = placement->main = PLACE_HOST;
    if (wish->device_count == 0 && flags->split_mode == SPLIT_TENSOR) {
        problem_set(problem, "llama.cpp refuses --split-mode tensor without a device");
        return PLACEMENT_REFUSED;
    }
    if (wish->device_count == 0) {
        return PLACEMENT_KNOWN;
    }
    bool uses_main = flags->split_mode == SPLIT_NONE || flags->split_mode == SPLIT_ROW;
    if (uses_main && flags->main_gpu >= (int64_t)wish->device_count) {
        problem_set(problem, "llama.cpp refuses --main-gpu %lld: there are %zu devices",
                    (long long)flags->main_gpu, wish->device_count);
        return PLACEMENT_REFUSED;
    }
    placement->main = (int8_t)(uses_main ? flags->main_gpu : 0);
    placement->spread = flags->split_mode == SPLIT_NONE || wish->device_count > 1;
    placement->spread &= flags->split_mode != SPLIT_LAYER;
    placement->spread_cache = flags->split_mode == SPLIT_TENSOR;
    if (flags->split_mode == SPLIT_NONE) {
        /* Everything on the main device: it has the whole share. */
        for (size_t i = 0; i < wish->device_count; i++) {
            placement->until[i] = (int64_t)i >= flags->main_gpu;
        }
    } else if (wish->gpu_layers > 0 && !set_shares(wish, placement)) {
        return PLACEMENT_UNKNOWN;
    }
    place_layers(wish, layer_count_of(file), placement);
    return PLACEMENT_KNOWN;
}

/* Adds bytes to a device, or spreads them by the shares where rows or tensors are split. */
static void add(const struct placement *placement, int device, bool spread, int64_t bytes,
                struct placed_bytes *placed)
{
    if (device == PLACE_HOST || !spread) {
        placed->bytes[device + 1] += bytes;
        return;
    }
    float before = 0;
    int64_t left = bytes;
    for (size_t i = 0; i < placement->device_count; i++) {
        int64_t share = i + 1 == placement->device_count
                            ? left
                            : (int64_t)((double)bytes * (double)(placement->until[i] - before));
        before = placement->until[i];
        share = share < left ? share : left;
        placed->bytes[i + 1] += share;
        left -= share;
    }
}

/* -ot's patterns, compiled, and where each one sends a tensor. */
struct overrides {
    struct name_pattern *patterns;
    int8_t devices[RUNTIME_OVERRIDES_MAX];
    size_t count;
};

/* "CUDA1" is the second of devices that are called after this machine's adapters: GPU0, GPU1. */
static bool numbered_device(struct raw_text buffer, const struct text *names, size_t count,
                            int8_t *device)
{
    static const char *const families[] = {"CUDA", "ROCm", "Vulkan",   "SYCL", "MTL",
                                           "CANN", "MUSA", "OPENVINO", "HTP"};
    uint64_t number;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t length = strlen(families[i]);
        struct raw_text digits = {buffer.bytes + length, buffer.length - length};
        if (raw_starts_with(buffer, families[i]) && number_parse_u64(digits, &number, NULL) &&
            number < count && names[number].size > 3 && memcmp(names[number].utf8, "GPU", 3) == 0) {
            *device = (int8_t)number;
            return true;
        }
    }
    return false;
}

/* CPU and pinned host memory, or a device by its name. False: the runtime knows no such buffer. */
static bool buffer_device(struct raw_text buffer, const struct text *names, size_t count,
                          int8_t *device)
{
    static const char host[] = "_Host";
    size_t size = sizeof host - 1;
    if (raw_equal_string(buffer, "CPU") ||
        (buffer.length > size && memcmp(buffer.bytes + buffer.length - size, host, size) == 0)) {
        *device = PLACE_HOST;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (names[i].size == buffer.length &&
            memcmp(names[i].utf8, buffer.bytes, buffer.length) == 0) {
            *device = (int8_t)i;
            return true;
        }
    }
    return numbered_device(buffer, names, count, device);
}

static bool compile_overrides(const struct load_flags *load, const struct text *names, size_t count,
                              struct overrides *overrides, struct problem *problem)
{
    overrides->patterns = memory_new((load->override_count + 1) * sizeof *overrides->patterns);
    for (size_t i = 0; i < load->override_count; i++) {
        const struct tensor_override *given = &load->overrides[i];
        int shown = (int)(given->pattern.length < 80 ? given->pattern.length : 80);
        if (!name_pattern_compile(&overrides->patterns[i], given->pattern)) {
            return problem_set(problem, "-ot: '%.*s' is not a pattern this program understands",
                               shown, given->pattern.bytes);
        }
        if (!buffer_device(given->buffer, names, count, &overrides->devices[i])) {
            return problem_set(problem, "llama.cpp refuses -ot: it has no buffer '%.*s'",
                               (int)(given->buffer.length < 80 ? given->buffer.length : 80),
                               given->buffer.bytes);
        }
        overrides->count++;
    }
    return true;
}

static bool overridden(const struct overrides *overrides, const struct load_flags *load,
                       const struct model_tensor *tensor, int8_t *device)
{
    for (size_t i = 0; i < overrides->count; i++) {
        if (name_pattern_finds(&overrides->patterns[i], tensor->name)) {
            *device = overrides->devices[i];
            return true;
        }
    }
    *device = PLACE_HOST;
    return (tensor->expert &&
            (load->cpu_moe || (tensor->layer >= 0 && tensor->layer < load->cpu_moe_layers))) ||
           (tensor->layer >= 0 && tensor->layer < load->cpu_ffn_layers &&
            tensor_is_dense_ffn(tensor->name));
}

static int8_t place_of(const struct placement *placement, enum tensor_group group, int layer)
{
    switch (group) {
    case GROUP_OUTPUT:
        return placement->output;
    case GROUP_LAYER:
        return placement->layers[layer];
    case GROUP_SHARED:
        return placement->layers[0];
    case GROUP_INPUT:
        break;
    }
    return PLACE_HOST;
}

static void place_by_name(const struct model_file *file, const struct placement *placement,
                          const struct load_flags *load, const struct overrides *overrides,
                          struct placed_bytes *placed)
{
    struct tensor_cursor cursor = {.started = false};
    bool embeddings_moved = false;
    for (const struct model_tensor *tensor; (tensor = model_file_next_tensor(file, &cursor));) {
        int8_t device;
        bool moved = overridden(overrides, load, tensor, &device);
        if (!moved) {
            device = place_of(placement, (enum tensor_group)tensor->group, tensor->layer);
        } else if (strcmp(tensor->name, "token_embd.weight") == 0) {
            embeddings_moved = true; /* both uses then share one tensor */
        }
        add(placement, device, placement->spread && !moved, tensor->bytes, placed);
    }
    if (!embeddings_moved && placement->output != PLACE_HOST) {
        add(placement, placement->output, placement->spread, file->tied_bytes, placed);
    }
}

static void place_by_layer(const struct model_file *file, const struct placement *placement,
                           const struct load_flags *load, struct placed_bytes *placed)
{
    placed->bytes[0] += file->input_bytes;
    add(placement, placement->output, placement->spread,
        file->output_bytes + (placement->output != PLACE_HOST ? file->tied_bytes : 0), placed);
    add(placement, placement->layers[0], placement->spread, file->shared_bytes, placed);
    for (size_t layer = 0; layer < file->layer_count; layer++) {
        const struct layer_bytes *bytes = &file->layers[layer];
        bool host = load->cpu_moe || (int64_t)layer < load->cpu_moe_layers;
        int64_t experts = host ? bytes->expert_bytes : 0;
        placed->bytes[0] += experts;
        add(placement, placement->layers[layer], placement->spread, bytes->bytes - experts, placed);
    }
}

enum placement_result placement_weights(const struct model_file *file,
                                        const struct placement *placement,
                                        const struct load_flags *load,
                                        const struct text *device_names,
                                        struct placed_bytes *placed, struct problem *problem)
{
    struct overrides overrides = {.count = 0};
    memset(placed, 0, sizeof *placed);
    if (!compile_overrides(load, device_names, placement->device_count, &overrides, problem)) {
        free(overrides.patterns);
        return PLACEMENT_REFUSED;
    }
    enum placement_result result = PLACEMENT_KNOWN;
    if (file->tensors_kept) {
        place_by_name(file, placement, load, &overrides, placed);
    } else if (load->override_count > 0 || load->cpu_ffn_layers > 0) {
        result = PLACEMENT_UNKNOWN;
    } else {
        place_by_layer(file, placement, load, placed);
    }
    free(overrides.patterns);
    return result;
}

void placement_cache(const struct placement *placement, const struct context_memory *memory,
                     size_t layer_count, bool on_host, struct placed_bytes *placed)
{
    memset(placed, 0, sizeof *placed);
    for (size_t layer = 0; layer < layer_count; layer++) {
        int8_t device = on_host ? (int8_t)PLACE_HOST : placement->layers[layer];
        add(placement, device, placement->spread_cache, memory->layers[layer], placed);
    }
}

#include "inspect/estimate.h"

#include <string.h>

#include "base/lines.h"
#include "inspect/architecture.h"
#include "inspect/command.h"
#include "inspect/estimate_parts.h"

static struct figure estimated(double value)
{
    return figure_known(value, HOW_ESTIMATED);
}

static struct figure not_known(void)
{
    return figure_unknown(REASON_not_reported);
}

static struct figure number_or_not(int64_t value)
{
    return value >= 0 ? estimated((double)value) : not_known();
}

/* What follows from the header. */
static void describe(const struct estimate_input *input, struct model *model)
{
    const struct model_file *file = input->file;
    bool draft = input->role == ESTIMATE_DRAFT;
    model->name = file->name;
    model->kind = draft ? MODEL_DRAFT : file->kind;
    const char *format = model_format_name(file->format);
    model->format = (struct text){format, strlen(format)};
    model->file_bytes = measured_known(file->file_bytes);
    model->architecture = file->architecture;
    model->quantization = file->quantization;
    model->parameters =
        file->parameters.known ? estimated((double)file->parameters.value) : not_known();
    model->layers = number_or_not(file->shape.layers);
    model->context_trained = number_or_not(file->shape.context_trained);
    model->layers_on_gpu = model->context = model->slots = not_known();
}

int64_t estimate_all_layers(const struct model_file *file)
{
    return file->shape.layers > 0 ? file->shape.layers + 1 : (int64_t)file->layer_count + 1;
}

/* Layers to offload; -1: the runtime decides by free memory. */
static int64_t wanted_layers(const struct estimate *estimate)
{
    enum { LAST_CPU_BUILD = 5640, FIRST_ALL_BUILD = 7347 };
    int64_t build = estimate->input->build;
    switch (estimate->load->gpu_layers_wish) {
    case GPU_LAYERS_NUMBER:
        return estimate->load->gpu_layers;
    case GPU_LAYERS_ALL:
        return estimate_all_layers(estimate->file);
    case GPU_LAYERS_UNSET:
        if (build > 0 && build <= LAST_CPU_BUILD) {
            return 0;
        }
        if (build >= FIRST_ALL_BUILD && estimate->generation < LLAMA_2026) {
            return estimate_all_layers(estimate->file);
        }
        break;
    case GPU_LAYERS_AUTO:
        break;
    }
    bool fits_by_itself = estimate->flags->fit != WISH_OFF && estimate->generation == LLAMA_2026;
    return estimate->device_count == 0 ? 0
           : fits_by_itself || estimate->generation < LLAMA_2026
               ? -1
               : estimate_all_layers(estimate->file);
}

static enum placement_result place(struct estimate *estimate, int64_t gpu_layers,
                                   struct problem *problem)
{
    struct placement_wish wish = {
        .load = estimate->load,
        .flags = estimate->flags,
        .gpu_layers = gpu_layers,
        .device_count = estimate->device_count,
        .generation = estimate->generation,
    };
    for (size_t i = 0; i < estimate->device_count; i++) {
        struct measured free_bytes = estimate->devices[i].free_bytes;
        wish.free_bytes[i] = free_bytes.known ? free_bytes.value : -1;
    }
    enum placement_result result =
        placement_make(estimate->file, &wish, &estimate->placement, problem);
    if (result != PLACEMENT_KNOWN) {
        return result;
    }
    result = placement_weights(estimate->file, &estimate->placement, estimate->load,
                               estimate->names, &estimate->weights, problem);
    estimate->weights_known = result == PLACEMENT_KNOWN && estimate->file->weights_bytes.known;
    placement_cache(&estimate->placement, &estimate->memory,
                    estimate->memory.known ? (size_t)estimate->file->shape.layers : 0,
                    estimate->flags->no_kv_offload, &estimate->cache);
    estimate->cache_known = estimate->memory.known;
    estimate->placed = result != PLACEMENT_REFUSED;
    return result;
}

/* All layers on the devices, as the runtime does by itself where they fit with its margin. */
static bool fits(const struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->device_count; i++) {
        struct measured free_bytes = estimate->devices[i].free_bytes;
        int64_t compute = estimate_device_compute(estimate, i);
        if (!free_bytes.known || (double)estimate->weights.bytes[i + 1] +
                                         (double)estimate->cache.bytes[i + 1] + (double)compute +
                                         (double)estimate->flags->fit_target_bytes >
                                     (double)free_bytes.value) {
            return false;
        }
    }
    return estimate->weights_known && estimate->cache_known && estimate->compute.known;
}

static void fill_device(const struct estimate *estimate, size_t place_index,
                        struct model_device *device)
{
    bool is_host = place_index == 0;
    device->weights_bytes = estimate->placed && estimate->weights_known
                                ? estimated((double)estimate->weights.bytes[place_index])
                                : not_known();
    device->kv_cache_bytes = estimate->placed && estimate->cache_known
                                 ? estimated((double)estimate->cache.bytes[place_index])
                                 : not_known();
    device->compute_bytes = not_known();
    if (estimate->placed && !estimate_compute_is_whole(estimate, place_index)) {
        device->compute_bytes = figure_unknown(REASON_not_supported);
    } else if (estimate->placed && estimate->compute.known) {
        int64_t bytes = is_host ? estimate_host_compute(estimate)
                                : estimate_device_compute(estimate, place_index - 1);
        device->compute_bytes = estimated((double)bytes);
    }
    device->other_bytes =
        is_host && estimate->copies > 0 ? estimated((double)estimate->copies) : not_known();
}

static void fill_devices(const struct estimate *estimate, struct model *model)
{
    struct model_device *devices =
        ARENA_ARRAY(estimate->arena, struct model_device, estimate->device_count + 1);
    for (size_t i = 0; i < estimate->device_count; i++) {
        devices[i].device = estimate->names[i];
        devices[i].adapter_id = estimate->devices[i].adapter_id;
        fill_device(estimate, i + 1, &devices[i]);
    }
    devices[estimate->device_count].device = TEXT("host");
    fill_device(estimate, 0, &devices[estimate->device_count]);
    model->devices = devices;
    model->device_count = estimate->device_count + 1;
}

/* The file alone: all its weights, wherever they will be. */
static void fill_alone(struct arena *arena, const struct model_file *file, struct model *model)
{
    struct model_device *host = ARENA_NEW(arena, struct model_device);
    host->device = TEXT("host");
    host->weights_bytes =
        file->weights_bytes.known ? estimated((double)file->weights_bytes.value) : not_known();
    host->kv_cache_bytes = host->compute_bytes = host->other_bytes = not_known();
    model->devices = host;
    model->device_count = 1;
}

/* 0: the host; else the device of -mmdev, or the first one. */
static size_t projector_place(const struct estimate *estimate)
{
    struct raw_text wanted = estimate->flags->mmproj_device;
    if (!estimate->flags->mmproj_offload || raw_equal_string(wanted, "none")) {
        return 0;
    }
    for (size_t i = 0; i < estimate->device_count; i++) {
        struct text name = estimate->names[i];
        if (wanted.length == name.size && memcmp(wanted.bytes, name.utf8, name.size) == 0) {
            return i + 1;
        }
    }
    return estimate->device_count > 0;
}

/* A projector is whole on the first device; an adapter follows the model's layers. */
static bool place_simply(struct estimate *estimate, struct problem *problem)
{
    if (estimate->input->role == ESTIMATE_PROJECTOR || estimate->file->role == ROLE_PROJECTOR) {
        estimate->weights.bytes[projector_place(estimate)] = estimate->file->weights_known_bytes;
        estimate->weights_known = estimate->file->weights_bytes.known;
        estimate->placed = true;
        return true;
    }
    int64_t wanted = wanted_layers(estimate);
    return wanted < 0 || place(estimate, wanted, problem) != PLACEMENT_REFUSED;
}

/* Mapped and wholly on the host: the file's pages are the weights, some of them rearranged in a
 * copy. */
static void use_mapping(struct estimate *estimate)
{
    enum load_mode mode = estimate->flags->load_mode;
    int64_t mapped, copies;
    if (estimate->placement.gpu_layers == 0 && estimate->weights_known &&
        (mode == LOAD_MMAP || mode == LOAD_MLOCK) &&
        placement_mapped(estimate->file, !estimate->flags->no_repack, &mapped, &copies)) {
        estimate->weights.bytes[0] = mapped;
        estimate->copies = copies;
    }
}

static bool place_model(struct estimate *estimate, struct model *model, struct problem *problem)
{
    int64_t wanted = wanted_layers(estimate);
    bool automatic = wanted < 0;
    enum placement_result result =
        place(estimate, automatic ? estimate_all_layers(estimate->file) : wanted, problem);
    if (result == PLACEMENT_REFUSED) {
        return false;
    }
    if (automatic && !fits(estimate)) {
        /* How many layers, and perhaps which context, is the runtime's choice. */
        estimate->placed = false;
        bool draft = estimate->input->role == ESTIMATE_DRAFT;
        if (!estimate->load->context_given && !(draft && estimate->flags->model.context_given)) {
            model->context = not_known();
        }
        return true;
    }
    if (result == PLACEMENT_KNOWN) {
        use_mapping(estimate);
        model->layers_on_gpu = estimated((double)estimate->placement.gpu_layers);
    }
    return true;
}

static void add_device(struct estimate *estimate, struct estimate_device device)
{
    if (estimate->device_count < RUNTIME_DEVICES_MAX) {
        estimate->names[estimate->device_count] = device.name;
        estimate->devices[estimate->device_count++] = device;
    }
}

/* A draft may have devices of its own; without, it has the model's. */
static void set_devices(struct estimate *estimate)
{
    const struct load_flags *load = estimate->load;
    const struct estimate_input *input = estimate->input;
    bool own = input->role == ESTIMATE_DRAFT && load->device_count > 0;
    for (size_t i = 0; i < input->device_count && !load->devices_none && !own; i++) {
        add_device(estimate, input->devices[i]);
    }
    for (size_t i = 0; own && i < load->device_count; i++) {
        struct estimate_device device = {.name = text_redact(estimate->arena, load->devices[i])};
        for (size_t k = 0; k < input->device_count; k++) {
            if (text_equal(input->devices[k].name, device.name)) {
                device = input->devices[k];
            }
        }
        add_device(estimate, device);
    }
}

static bool is_for_base(const struct estimate_input *input, struct problem *problem)
{
    const struct model_file *file = input->file, *base = input->base;
    if (input->role != ESTIMATE_ADAPTER || !base || text_is_none(base->architecture) ||
        text_is_none(file->architecture) || text_equal(file->architecture, base->architecture)) {
        return true;
    }
    return problem_set(problem,
                       "llama.cpp refuses this adapter: it is for '%.*s', the model is "
                       "'%.*s'",
                       (int)(file->architecture.size < 64 ? file->architecture.size : 64),
                       file->architecture.utf8,
                       (int)(base->architecture.size < 64 ? base->architecture.size : 64),
                       base->architecture.utf8);
}

bool estimate_model(struct arena *arena, const struct estimate_input *input, struct model *model,
                    struct problem *problem)
{
    memset(model, 0, sizeof *model);
    model->live.expires_at_ns = TIME_UNKNOWN;
    describe(input, model);
    if (!input->flags) {
        fill_alone(arena, input->file, model);
        return true;
    }
    if (input->file->format != FORMAT_GGUF) {
        return problem_set(problem, "llama.cpp refuses this file: it loads only GGUF");
    }
    if (!is_for_base(input, problem)) {
        return false;
    }
    if (input->file->shape.layers > MODEL_LAYERS_MAX) {
        return problem_set(problem, "its header says %lld layers, which no model has",
                           (long long)input->file->shape.layers);
    }
    struct estimate *estimate = ARENA_NEW(arena, struct estimate);
    estimate->input = input;
    estimate->arena = arena;
    estimate->file = input->file;
    estimate->flags = input->flags;
    estimate->load = input->role == ESTIMATE_DRAFT ? &input->flags->draft : &input->flags->model;
    estimate->generation = llama_generation_of(input->build);
    estimate->flash_attention = estimate_uses_flash_attention(input->flags, estimate->generation);
    set_devices(estimate);
    if (estimate_has_context(estimate) ? !estimate_make_context(estimate, model, problem) ||
                                             !place_model(estimate, model, problem)
                                       : !place_simply(estimate, problem)) {
        return false;
    }
    fill_devices(estimate, model);
    return true;
}

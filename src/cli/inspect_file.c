/* gputaskman inspect FILE [-- RUNTIME FLAGS]: one model file, alone or as llama.cpp would hold it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/session.h"
#include "inspect/command.h"
#include "inspect/devices.h"
#include "inspect/estimate.h"
#include "inspect/path.h"
#include "os/terminal.h"
#include "present/text_models.h"
#include "snapshot/json.h"

enum { MODELS_MAX = 3 + RUNTIME_LORAS_MAX, NOTES_MAX = 32, PATH_SIZE = 4096 };

/* One call at work. */
struct file_view {
    struct arena *arena;
    bool with_flags;
    struct runtime_flags flags;
    struct estimate_device devices[RUNTIME_DEVICES_MAX];
    size_t device_count;
    const struct model_file *main;
    struct model models[MODELS_MAX];
    size_t model_count;
    struct note notes[NOTES_MAX];
    size_t note_count;
};

static void add_note(struct file_view *view, struct text code, struct text text)
{
    if (view->note_count < NOTES_MAX) {
        view->notes[view->note_count++] = (struct note){code, text};
    }
}

static bool parse_flags(const struct command_call *call, struct file_view *view,
                        struct problem *problem)
{
    struct raw_text argv[RUNTIME_ARGUMENTS_MAX];
    size_t count = call->options.word_count - 1;
    if (count > RUNTIME_ARGUMENTS_MAX) {
        return problem_set(problem, "more than %d runtime flags", RUNTIME_ARGUMENTS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        argv[i] = raw_from_string(call->options.words[i + 1]);
    }
    view->with_flags = count > 0;
    return runtime_flags_parse(argv, count, (struct raw_text){NULL, 0}, true, &view->flags,
                               problem);
}

/* Where the GPU has a carve-out and the rest of the memory too, a runtime may fill both. */
static void set_memory(const struct adapter_memory *memory, struct estimate_device *device)
{
    struct measured total = memory->shared_total_bytes, used = memory->shared_used_bytes;
    device->free_bytes = memory->vram_free_bytes;
    device->total_bytes = memory->vram_total_bytes;
    if (memory->unified && total.known && used.known && used.value <= total.value) {
        device->free_bytes.value += total.value - used.value;
        device->total_bytes.value += total.value;
    }
}

static void add_device(struct file_view *view, const struct snapshot *snapshot, struct text name)
{
    if (view->device_count == RUNTIME_DEVICES_MAX) {
        return;
    }
    struct device_scene scene = {.adapters = NULL};
    if (snapshot) {
        scene.adapters = snapshot->adapters;
        scene.adapter_count = snapshot->adapter_count;
        scene.variables.known = true; /* nothing is set for a runtime that is not there */
    }
    struct device_found found =
        device_find(view->arena, &scene, (struct raw_text){name.utf8, name.size});
    struct estimate_device *device = &view->devices[view->device_count++];
    *device = (struct estimate_device){.name = name};
    if (found.place == DEVICE_ADAPTER) {
        device->adapter_id = text_copy(view->arena, found.adapter->id);
        set_memory(&found.adapter->memory, device);
    }
}

/* RPC servers come first, as llama.cpp lists them. */
static void add_remote_devices(struct file_view *view)
{
    struct raw_text rest = view->flags.rpc, before;
    for (size_t i = 0; rest.length > 0 && i < RUNTIME_DEVICES_MAX; i++) {
        const char *comma = memchr(rest.bytes, ',', rest.length);
        before = (struct raw_text){rest.bytes, comma ? (size_t)(comma - rest.bytes) : rest.length};
        struct text endpoint = text_redact(view->arena, before);
        add_device(view, NULL,
                   text_format(view->arena, "RPC%zu[%.*s]", i, (int)endpoint.size, endpoint.utf8));
        size_t used = before.length + (comma != NULL);
        rest = (struct raw_text){rest.bytes + used, rest.length - used};
    }
}

static void set_devices(struct file_view *view, const struct snapshot *snapshot)
{
    const struct load_flags *load = &view->flags.model;
    if (load->devices_none) {
        return;
    }
    for (size_t i = 0; i < load->device_count; i++) {
        add_device(view, snapshot, text_redact(view->arena, load->devices[i]));
    }
    if (load->device_count > 0) {
        return;
    }
    add_remote_devices(view);
    for (size_t i = 0; snapshot && i < snapshot->adapter_count; i++) {
        const struct adapter *adapter = &snapshot->adapters[i];
        if (adapter->kind != ADAPTER_NPU && text_is_none(adapter->parent)) {
            add_device(view, snapshot,
                       text_format(view->arena, "GPU%lld", (long long)adapter->index));
        }
    }
}

/* This machine's adapters, for the devices' memory; one that can't be read has none, and that is
 * said. */
static void look_at_machine(struct command_call *call, struct file_view *view)
{
    struct problem problem = {""};
    const struct wanted wanted = {.pcie_rates = false};
    struct source *source = session_open(call, SESSION_ONE_SHOT, &wanted, &problem);
    struct snapshot *snapshot = source ? session_sample(source, 0, true, NULL) : NULL;
    if (!snapshot) {
        add_note(view, TEXT("machine_unknown"),
                 text_format(view->arena, "this machine's GPUs are not known: %s",
                             problem.text[0] ? problem.text : "it does not answer"));
    }
    set_devices(view, snapshot);
    snapshot_drop(&snapshot);
    if (source) {
        source_close(&source);
    }
}

/* A folder stands for the file in it that stands for the model, as Hugging Face lays them out. */
static const char *file_of(struct arena *arena, const struct byte_opener *opener, const char *path)
{
    static const char *const heads[] = {"model.safetensors.index.json", "model.safetensors",
                                        "diffusion_pytorch_model.safetensors", "pytorch_model.bin",
                                        "model.bin"};
    struct byte_source source;
    struct problem ignored;
    if (opener->open(opener, path, &source, &ignored)) {
        byte_source_close(&source);
        return path;
    }
    size_t size = strlen(path) + PATH_SIZE;
    char *inside = arena_alloc(arena, size);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        snprintf(inside, size, "%s/%s", path, heads[i]);
        if (opener->open(opener, inside, &source, &ignored)) {
            byte_source_close(&source);
            return inside;
        }
    }
    return path;
}

static bool add_model(struct file_view *view, const char *given, enum estimate_role role,
                      struct problem *problem)
{
    struct byte_opener opener = byte_opener_real();
    struct model_file *file = ARENA_NEW(view->arena, struct model_file);
    const char *path = file_of(view->arena, &opener, given);
    if (!model_file_read(&opener, path, view->arena, file, problem)) {
        return false;
    }
    struct estimate_input input = {.file = file,
                                   .base = view->main,
                                   .role = role,
                                   .flags = view->with_flags ? &view->flags : NULL,
                                   .devices = view->devices,
                                   .device_count = view->device_count};
    struct model *model = &view->models[view->model_count];
    if (!estimate_model(view->arena, &input, model, problem)) {
        return false;
    }
    view->model_count++;
    view->main = view->main ? view->main : file;
    model->path = text_from_raw(view->arena, raw_from_string(path));
    if (text_is_none(model->name)) {
        model->name = text_from_raw(view->arena, path_model_name(raw_from_string(path)));
    }
    if (!text_is_none(file->detail)) {
        add_note(view, TEXT("file"), file->detail);
    }
    for (size_t i = 0; i < file->warning_count; i++) {
        add_note(view, TEXT("file_warning"), file->warnings[i]);
    }
    return true;
}

static bool add_named(struct file_view *view, struct raw_text path, enum estimate_role role,
                      struct problem *problem)
{
    char buffer[PATH_SIZE];
    if (path.length == 0) {
        return true;
    }
    if (path.length >= sizeof buffer) {
        return problem_set(problem, "a path of %zu bytes", path.length);
    }
    memcpy(buffer, path.bytes, path.length);
    buffer[path.length] = '\0';
    return add_model(view, buffer, role, problem);
}

static bool add_companions(struct file_view *view, struct problem *problem)
{
    const struct runtime_flags *flags = &view->flags;
    struct raw_text mmproj = flags->no_mmproj ? (struct raw_text){NULL, 0} : flags->mmproj;
    if (!add_named(view, flags->draft.path, ESTIMATE_DRAFT, problem) ||
        !add_named(view, mmproj, ESTIMATE_PROJECTOR, problem)) {
        return false;
    }
    for (size_t i = 0; i < flags->lora_count; i++) {
        struct raw_text path = flags->loras[i];
        /* "FILE:SCALE" */
        const char *colon = NULL;
        for (size_t k = 0; k < path.length; k++) {
            colon = path.bytes[k] == ':' && k > 1 ? path.bytes + k : colon;
        }
        path.length = colon ? (size_t)(colon - path.bytes) : path.length;
        if (!add_named(view, path, ESTIMATE_ADAPTER, problem)) {
            return false;
        }
    }
    return true;
}

/* Where the runtime decides by itself, the devices' shares are not known before it has. */
static void explain(struct file_view *view)
{
    const struct model *model = &view->models[0];
    bool shares = false, no_rule = false;
    for (size_t i = 0; i < model->device_count; i++) {
        shares = shares || figure_is_known(model->devices[i].weights_bytes);
        no_rule = no_rule || (!figure_is_known(model->devices[i].compute_bytes) &&
                              model->devices[i].compute_bytes.why_not == REASON_not_supported);
    }
    if (no_rule) {
        add_note(view, TEXT("compute_unknown"),
                 TEXT("no checked formula gives the compute buffers of this model with these "
                      "flags (recurrent layers, latent attention, an encoder, a GPU without "
                      "layers, or attention apart from the other layers)"));
    }
    if (!view->main->weights_bytes.known && view->main->warning_count == 0) {
        add_note(view, TEXT("weights_unknown"),
                 TEXT("how large the weights are is not to be read from this file: only its "
                      "runtime knows its layout, or they lie in other files"));
    }
    if (view->with_flags && !shares && view->main->weights_bytes.known) {
        add_note(
            view, TEXT("shares_unknown"),
            text_format(view->arena,
                        "the runtime decides by free memory which of the %lld bytes of weights "
                        "go where: say -ngl (and -ts with several devices)",
                        (long long)view->main->weights_bytes.value));
    }
}

static void print_view(const struct command_call *call, const struct file_view *view)
{
    if (!options_flag(&call->options, OPTION_json)) {
        text_models(stdout, view->models, view->model_count, view->notes, view->note_count,
                    !command_may_use_utf8(call));
        return;
    }
    struct buffer buffer = {0};
    models_write(view->models, view->model_count, view->notes, view->note_count,
                 terminal_is_output(), &buffer);
    fwrite(buffer.bytes, 1, buffer.size, stdout);
    fputc('\n', stdout);
    buffer_free(&buffer);
}

int command_inspect_file(struct command_call *call)
{
    struct problem problem = {""};
    struct arena *arena = arena_new();
    struct file_view *view = ARENA_NEW(arena, struct file_view);
    int status = EXIT_FAILED;
    view->arena = arena;
    if (call->options.word_count > 1 && call->options.words[1][0] != '-') {
        status = command_fail(EXIT_USAGE,
                              "inspect takes one FILE, and runtime flags behind '--'; '%.80s' is "
                              "one too many",
                              call->options.words[1]);
    } else if (!parse_flags(call, view, &problem)) {
        status = command_fail(EXIT_FAILED, "%s", problem.text);
    } else {
        if (view->with_flags) {
            look_at_machine(call, view);
        }
        if (!add_model(view, call->options.words[0], ESTIMATE_MODEL, &problem) ||
            (view->with_flags && !add_companions(view, &problem))) {
            command_fail(EXIT_FAILED, "%s", problem.text);
        } else {
            explain(view);
            print_view(call, view);
            status = command_finish_output(EXIT_DONE);
        }
    }
    arena_free(&arena);
    return status;
}

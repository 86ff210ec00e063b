#include <string.h>

#include "base/lines.h"
#include "inspect/load_lines.h"

static void llama_model(struct load_run_reading *run, struct raw_text path, const char *format)
{
    struct run_model *model =
        run_begin_model(run, run->next_is_draft ? MODEL_DRAFT : MODEL_UNKNOWN, path);
    run->next_is_draft = false;
    model->seen.format = raw_from_string(format);
    if (!run->seen.runtime.length) {
        run->seen.runtime = raw_from_string("llama.cpp");
    }
}

/* "... tensors from PATH (version GGUF V3 (latest))" */
static void read_meta(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text from, path, rest;
    if (!log_find(log_line_after(line, LOG_WORD_loaded_meta), " tensors from ", &from)) {
        return;
    }
    path = from;
    for (rest = from; log_find(rest, " (version ", &rest);) {
        path = (struct raw_text){from.bytes, (size_t)(rest.bytes - from.bytes) - 10};
    }
    llama_model(run, raw_trim(path), "gguf");
}

/* "using device CUDA0 (NAME) (0000:01:00.0) - 15221 MiB free"; the bus id since 2025-08. */
static void read_device(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text text = log_line_after(line, LOG_WORD_using_device), rest, free_text = text;
    struct load_device device = {.name = log_until(text, ' ')};
    int64_t bytes;
    for (rest = text; log_find(rest, " - ", &rest);) {
        free_text = rest;
    }
    if (!device.name.length || device.name.length == text.length) {
        return;
    }
    if (free_text.bytes != text.bytes) {
        text.length = (size_t)(free_text.bytes - text.bytes) - 3;
        device.free_bytes = log_size(free_text, SIZE_BINARY, &bytes, NULL)
                                ? measured_known(bytes)
                                : measured_unknown(REASON_not_reported);
    }
    text.bytes += device.name.length;
    text.length -= device.name.length;
    text = raw_trim(text);
    struct raw_text bus = text;
    for (rest = text; log_find(rest, ") (", &rest);) {
        bus = rest;
    }
    if (bus.bytes != text.bytes) {
        text.length = (size_t)(bus.bytes - text.bytes) - 2;
        bus = log_until(bus, ')');
        device.bus_id = raw_equal_string(bus, "unknown id") ? (struct raw_text){0} : bus;
    }
    if (text.length > 1 && *text.bytes == '(') {
        device.description = (struct raw_text){text.bytes + 1, text.length - 1};
        if (device.description.bytes[device.description.length - 1] == ')') {
            device.description.length--;
        }
    }
    run_add_device(run, &device);
}

/* "ggml_cuda_init: found 1 CUDA devices:", then "  Device 0: NVIDIA GeForce RTX 3050, compute
 * capability 8.6"; "ggml_vulkan: 0 = NAME (DRIVER) | uma: 0 | ...". */
static void read_device_list(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text number, rest;
    char name[32];
    if (log_line_has(line, LOG_WORD_cuda_devices) || log_line_has(line, LOG_WORD_cublas_devices)) {
        bool rocm = log_find(line->text, "ROCm devices", &rest);
        if (rocm || log_find(line->text, "CUDA devices", &rest)) {
            run->device_family = raw_from_string(rocm ? "ROCm" : "CUDA");
            bool one = log_find(line->text, "found 1 ", &rest);
            run->backend =
                raw_from_string(one ? (rocm ? "ROCm0" : "CUDA0") : (rocm ? "ROCm" : "CUDA"));
        }
        return;
    }
    bool vulkan = log_line_has(line, LOG_WORD_vulkan_device);
    bool listed = log_line_has(line, LOG_WORD_cuda_device) && run->device_family.length;
    if (!vulkan && !listed) {
        return;
    }
    number = log_line_after(line, vulkan ? LOG_WORD_vulkan_device : LOG_WORD_cuda_device);
    struct measured index = log_count(number);
    if (!index.known || index.value > 255 ||
        !raw_split(number, vulkan ? '=' : ':', &number, &rest) || number.length > 4) {
        return;
    }
    rest = raw_trim(log_until(rest, vulkan ? '|' : ','));
    int length = snprintf(name, sizeof name, "%.*s%d", vulkan ? 6 : (int)run->device_family.length,
                          vulkan ? "Vulkan" : run->device_family.bytes, (int)index.value);
    struct load_device device = {.name = {name, (size_t)length}, .description = rest};
    run_add_device(run, &device);
}

/* Paths that the lines of programs around llama.cpp name. */
static void read_paths(struct load_run_reading *run, const struct log_line *line)
{
    if (log_line_has(line, LOG_WORD_load_model_path)) {
        if (run_has_content(run)) {
            run_clear(run); /* a server loads anew what it had let go */
        }
        run->seen.main_path =
            run_text(run, log_until_last(log_line_after(line, LOG_WORD_load_model_path), '\''));
        run->is_shown = false;
    } else if (log_line_has(line, LOG_WORD_kobold_model)) {
        run_text_once(run, &run->seen.main_path,
                      raw_trim(log_line_after(line, LOG_WORD_kobold_model)));
    } else if (log_line_has(line, LOG_WORD_draft)) {
        run->next_is_draft = true;
    } else if (log_line_has(line, LOG_WORD_lora)) {
        run_main_model(run);
        run_begin_model(run, MODEL_ADAPTER, log_until(log_line_after(line, LOG_WORD_lora), '\''));
    } else if (log_line_has(line, LOG_WORD_multimodal)) {
        int at = run_addition(run, MODEL_PROJECTOR);
        run_text_once(run, &run->models.items[at].seen.path,
                      log_until_last(log_line_after(line, LOG_WORD_multimodal), '\''));
    } else if (log_line_has(line, LOG_WORD_projector)) {
        struct raw_text name;
        if (log_find(log_line_after(line, LOG_WORD_projector), "model name:", &name)) {
            run_main_model(run);
            run_begin_model(run, MODEL_PROJECTOR, (struct raw_text){0})->seen.name =
                run_text(run, raw_trim(name));
        }
    }
}

static void read_server(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text value;
    if (log_line_has(line, LOG_WORD_slots)) {
        run->seen.slots = log_count(log_line_after(line, LOG_WORD_slots));
    }
    if (log_line_has(line, LOG_WORD_slot_context)) {
        run->seen.slot_context = log_count(log_line_after(line, LOG_WORD_slot_context));
    }
    if (log_line_has(line, LOG_WORD_listening)) { /* "listening on http://127.0.0.1:8120" */
        struct raw_text address = log_line_after(line, LOG_WORD_listening), port;
        struct raw_text rest = {address.bytes, address.length};
        while (raw_split(rest, ':', &value, &port)) {
            rest = port;
        }
        run->seen.port = log_count(rest);
        run->seen.ready = true;
    } else if (log_line_has(line, LOG_WORD_http_listening) &&
               log_value(line->text, "port", &value)) {
        run->seen.port = log_count(value);
    }
    if (log_line_has(line, LOG_WORD_model_loaded)) {
        run->seen.ready = true;
    }
    if (log_line_has(line, LOG_WORD_sleeping)) {
        run_clear(run);
    }
    run->is_shown = false;
}

/* True for a line about a load that fails; then nothing else is to be read from it. Once a server
 * is ready, such words can only be somebody's text. */
static bool read_failure(struct load_run_reading *run, const struct log_line *line)
{
    static const enum log_word of_load[] = {LOG_WORD_fail_compute, LOG_WORD_fail_context,
                                            LOG_WORD_fail_initialize, LOG_WORD_error_loading,
                                            LOG_WORD_fail_load};
    static const enum log_word of_all[] = {LOG_WORD_fail_draft, LOG_WORD_exiting, LOG_WORD_unable};
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all && !run->seen.ready; i++) {
        if (log_line_has(line, of_all[i])) {
            run_fail(run, line->text, true);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof of_load / sizeof *of_load && !run->seen.ready; i++) {
        if (log_line_has(line, of_load[i])) {
            run_fail(run, line->text, false);
            return true;
        }
    }
    return false;
}

/* The fit step tries loads without holding them; nothing printed in it counts. */
static bool read_projection(struct load_run_reading *run, const struct log_line *line)
{
    if (log_line_has(line, LOG_WORD_fit_begins)) {
        run->projecting = true;
    }
    if (log_line_has(line, LOG_WORD_fit_took) || log_line_has(line, LOG_WORD_fit_done) ||
        log_line_has(line, LOG_WORD_fit_failed)) {
        run->projecting = false;
        return true;
    }
    return run->projecting;
}

/* "offloaded 41/41 layers to GPU" */
static void read_offloaded(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text after = log_line_after(line, LOG_WORD_offloaded), rest;
    if (log_find(after, " layers to GPU", &rest)) {
        struct load_model *model = &run_main_model(run)->seen;
        model->offloaded = log_count(after);
        if (log_find(after, "/", &rest)) {
            model->offloadable = log_count(rest);
        }
        run->is_shown = false;
    }
}

void load_lines_llama(struct load_run_reading *run, const struct log_line *line)
{
    if (read_projection(run, line) || read_failure(run, line)) {
        return;
    }
    if (log_line_has(line, LOG_WORD_retrying)) {
        run_recover(run);
    }
    read_paths(run, line);
    if (log_line_has(line, LOG_WORD_loaded_meta)) {
        read_meta(run, line);
    } else if (log_line_has(line, LOG_WORD_ggml_loading)) {
        llama_model(run, raw_trim(log_line_after(line, LOG_WORD_ggml_loading)), "ggml");
    }
    if (log_line_has(line, LOG_WORD_using_device)) {
        read_device(run, line);
    }
    read_device_list(run, line);
    if (log_line_has(line, LOG_WORD_constructing)) {
        run_begin_context(run);
    }
    load_lines_settings(run, line);
    load_lines_buffers(run, line);
    load_lines_sums(run, line);
    if (log_line_has(line, LOG_WORD_offloaded)) {
        read_offloaded(run, line);
    }
    read_server(run, line);
}

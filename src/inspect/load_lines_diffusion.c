/* stable-diffusion.cpp. Its MB are 2^20 bytes; it says "(VRAM)" or "(RAM)", not which device. */
#include "base/lines.h"
#include "inspect/load_lines.h"

static void begin(struct load_run_reading *run, struct raw_text path)
{
    run_begin_model(run, MODEL_DIFFUSION, path);
    run->seen.runtime = raw_from_string("stable-diffusion.cpp");
}

static int model_index(struct load_run_reading *run)
{
    if (run->model < 0 || run->models.items[run->model].seen.kind != MODEL_DIFFUSION) {
        begin(run, (struct raw_text){0});
    }
    return run->model;
}

static struct raw_text place(const struct load_run_reading *run, bool in_vram)
{
    if (!in_vram) {
        return raw_from_string("CPU");
    }
    return run->backend.length ? run->backend : raw_from_string("GPU");
}

static void set(struct load_run_reading *run, enum load_buffer_kind kind, struct raw_text name,
                struct raw_text part, int64_t bytes)
{
    struct load_buffer buffer = {.name = name,
                                 .part = part,
                                 .kind = kind,
                                 .bytes = bytes,
                                 .model = model_index(run),
                                 .context = LOAD_NO_CONTEXT};
    run_set_buffer(run, &buffer);
}

static bool is_in_vram(struct raw_text after)
{
    struct raw_text rest;
    return log_find(after, "(VRAM", &rest);
}

/* "total params memory size = 16050.12MB (VRAM 16050.12MB, RAM 0.00MB): ...": the sum of the parts,
 * which were said before it at debug level. */
static void read_total(struct load_run_reading *run, struct raw_text after)
{
    struct raw_text rest;
    int64_t vram, ram;
    if (!log_find(after, "(VRAM ", &rest) || !log_size(rest, SIZE_BINARY, &vram, NULL) ||
        !log_find(rest, "RAM ", &rest) || !log_size(rest, SIZE_BINARY, &ram, NULL)) {
        return;
    }
    int model = model_index(run);
    size_t kept = 0;
    for (size_t i = 0; i < run->buffers.count; i++) {
        const struct load_buffer *buffer = &run->buffers.items[i];
        if (buffer->model != model || buffer->kind != LOAD_WEIGHTS) {
            run->buffers.items[kept++] = *buffer;
        }
    }
    run->buffers.count = kept;
    set(run, LOAD_WEIGHTS, place(run, true), raw_from_string(""), vram);
    set(run, LOAD_WEIGHTS, place(run, false), raw_from_string(""), ram);
}

/* "clip params backend buffer size =  1346.53 MB(VRAM) (388 tensors)", "flux compute buffer size:
 * 398.50 MB(VRAM)": one of several parts, by its name. */
static void read_part(struct load_run_reading *run, const struct log_line *line, enum log_word word,
                      enum load_buffer_kind kind)
{
    struct raw_text before = log_line_before(line, word), part;
    struct raw_text after = log_line_after(line, word);
    int64_t bytes;
    if (log_last_word(&before, &part) && log_size(after, SIZE_BINARY, &bytes, NULL)) {
        set(run, kind, place(run, is_in_vram(after)), part, bytes);
    }
}

/* "model manager prepared params backend buffer (398.50 MB, 388 tensors, CUDA0)" */
static void read_prepared(struct load_run_reading *run, struct raw_text after)
{
    struct raw_text text = log_until(after, ')'), name;
    int64_t bytes;
    if (log_size(text, SIZE_BINARY, &bytes, NULL) && log_last_word(&text, &name)) {
        struct load_buffer buffer = {.name = run_text(run, name),
                                     .part = run_text(run, text),
                                     .kind = LOAD_WEIGHTS,
                                     .bytes = bytes,
                                     .model = model_index(run),
                                     .context = LOAD_NO_CONTEXT};
        run_set_buffer(run, &buffer);
    }
}

/* Lines that carry the name of the source file. */
static bool read_source(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text rest;
    if (log_line_has(line, LOG_WORD_diffusion_part)) {
        begin(run, log_until_last(log_line_after(line, LOG_WORD_diffusion_part), '\''));
    } else if (log_line_has(line, LOG_WORD_loading_from)) {
        struct raw_text after = log_line_after(line, LOG_WORD_loading_from);
        if (!log_find(after, "completed", &rest)) {
            begin(run, log_until_last(after, '\''));
        }
    } else if (log_line_has(line, LOG_WORD_diffusion_version)) {
        int at = model_index(run); /* may move the models */
        run_text_once(run, &run->models.items[at].seen.architecture,
                      raw_trim(log_line_after(line, LOG_WORD_diffusion_version)));
    } else if (log_line_has(line, LOG_WORD_diffusion_backend_begins)) {
        struct raw_text name = log_line_after(line, LOG_WORD_diffusion_backend_begins);
        if (log_find(name, " backend", &rest)) {
            name = log_until(name, ' ');
            run->backend = raw_equal_string(name, "CUDA")     ? raw_from_string("CUDA0")
                           : raw_equal_string(name, "Vulkan") ? raw_from_string("Vulkan0")
                           : raw_equal_string(name, "SYCL")   ? raw_from_string("SYCL0")
                                                              : run_text(run, name);
        }
    } else {
        return false;
    }
    return true;
}

bool load_lines_diffusion(struct load_run_reading *run, const struct log_line *line)
{
    if (log_line_has(line, LOG_WORD_diffusion_total)) {
        read_total(run, log_line_after(line, LOG_WORD_diffusion_total));
    } else if (log_line_has(line, LOG_WORD_diffusion_params)) {
        read_part(run, line, LOG_WORD_diffusion_params, LOAD_WEIGHTS);
    } else if (log_line_has(line, LOG_WORD_diffusion_compute)) {
        read_part(run, line, LOG_WORD_diffusion_compute, LOAD_COMPUTE);
    } else if (log_line_has(line, LOG_WORD_diffusion_prepared)) {
        read_prepared(run, log_line_after(line, LOG_WORD_diffusion_prepared));
    } else {
        return log_line_has(line, LOG_WORD_diffusion_source) && read_source(run, line);
    }
    return true;
}

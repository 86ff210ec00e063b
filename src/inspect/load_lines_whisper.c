/* whisper.cpp. Its MB are 10^6 bytes. A state is made anew for a sentence: its lines replace those
 * of the one before. Handy, which embeds it, names the model it has loaded. */
#include <stdio.h>

#include "base/lines.h"
#include "inspect/load_lines.h"

static void begin(struct load_run_reading *run, struct raw_text path)
{
    struct run_model *model = run_begin_model(run, MODEL_SPEECH, path);
    model->seen.format = raw_from_string("ggml");
    model->seen.architecture = raw_from_string("whisper");
    run->seen.runtime = raw_from_string("whisper.cpp");
}

static bool is_begun(const struct load_run_reading *run)
{
    return run->model >= 0 && run->models.items[run->model].seen.kind == MODEL_SPEECH;
}

static struct raw_text backend(const struct load_run_reading *run)
{
    return run->backend.length ? run->backend : raw_from_string("CPU");
}

static void set(struct load_run_reading *run, enum load_buffer_kind kind, struct raw_text name,
                const char *part, struct raw_text after)
{
    struct load_buffer buffer = {
        .name = name, .part = raw_from_string(part), .kind = kind, .context = LOAD_NO_CONTEXT};
    if (log_size(after, SIZE_DECIMAL, &buffer.bytes, NULL)) {
        if (!is_begun(run)) {
            begin(run, (struct raw_text){0}); /* the log begins in the middle */
        }
        buffer.model = run->model;
        run_set_buffer(run, &buffer);
    }
}

/* "       CUDA0 total size =   147.37 MB"; until 2024 "CUDA buffer size = 34.59 MB". */
static bool read_weights(struct load_run_reading *run, struct raw_text text)
{
    struct raw_text after, before, name;
    if (!log_find(text, " total size", &after) && !log_find(text, " buffer size", &after)) {
        return false;
    }
    before = (struct raw_text){text.bytes, (size_t)(after.bytes - text.bytes) - 11};
    if (log_last_word(&before, &name)) {
        set(run, LOAD_WEIGHTS, name, "", after);
    }
    return true;
}

/* "type = 2 (base)" */
static void read_type(struct load_run_reading *run, struct raw_text text)
{
    struct raw_text key, value, name;
    if (is_begun(run) && raw_split(text, '=', &key, &value) &&
        raw_equal_string(raw_trim(key), "type") && raw_split(value, '(', &key, &name)) {
        run_text_once(run, &run_main_model(run)->seen.name, log_until(name, ')'));
    }
}

/* Lines of a state: its caches and its compute buffers. */
static void read_state(struct load_run_reading *run, const struct log_line *line)
{
    static const struct {
        const char *words, *part;
        enum load_buffer_kind kind;
    } parts[] = {
        {"kv self size", "self", LOAD_KV_CACHE},
        {"kv cross size", "cross", LOAD_KV_CACHE},
        {"kv pad  size", "pad", LOAD_KV_CACHE},
        {"kv pad size", "pad", LOAD_KV_CACHE},
        {"compute buffer (conv)", "conv", LOAD_COMPUTE},
        {"compute buffer (encode)", "encode", LOAD_COMPUTE},
        {"compute buffer (cross)", "cross", LOAD_COMPUTE},
        {"compute buffer (decode)", "decode", LOAD_COMPUTE},
    };
    struct raw_text after;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (log_find(line->text, parts[i].words, &after)) {
            set(run, parts[i].kind, backend(run), parts[i].part, after);
            return;
        }
    }
}

/* "using CUDA0 backend"; "no GPU found". */
static void read_backend(struct load_run_reading *run, struct raw_text text)
{
    struct raw_text name;
    if (log_find(text, "using ", &name) && log_find(name, " backend", &text)) {
        name = log_until(name, ' ');
        if (!raw_equal_string(name, "BLAS")) {
            run->backend = run_text(run, name);
        }
    }
}

/* "Loaded whisper model 'REPO/FILE.gguf' (requested Vulkan, gpu_device 0, bound backend 'Vulkan0'"
 */
static void read_handy(struct load_run_reading *run, struct raw_text after)
{
    struct raw_text bound;
    run_clear(run);
    begin(run, log_until(after, '\''));
    run->seen.runtime = raw_from_string("handy");
    if (log_find(after, "bound backend '", &bound)) {
        run->backend = run_text(run, log_until(bound, '\''));
    }
}

bool load_lines_whisper(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text rest;
    if (log_line_has(line, LOG_WORD_handy_loaded)) {
        read_handy(run, log_line_after(line, LOG_WORD_handy_loaded));
        return true;
    }
    if (log_line_has(line, LOG_WORD_handy_unloaded)) {
        run_clear(run);
        return true;
    }
    if (log_line_has(line, LOG_WORD_whisper_load)) {
        struct raw_text after = log_line_after(line, LOG_WORD_whisper_load);
        if (!read_weights(run, after)) {
            read_type(run, after);
            read_backend(run, after);
        }
        return true;
    }
    if (log_line_has(line, LOG_WORD_whisper_backend)) {
        read_backend(run, log_line_after(line, LOG_WORD_whisper_backend));
        return true;
    }
    if (log_line_has(line, LOG_WORD_whisper_init)) {
        if (log_line_has(line, LOG_WORD_loading_from)) {
            begin(run, log_until_last(log_line_after(line, LOG_WORD_loading_from), '\''));
        } else if (log_find(line->text, "use gpu", &rest)) {
            struct measured use = log_count(rest);
            run->backend = use.known && use.value == 0 ? raw_from_string("CPU") : run->backend;
        } else {
            read_state(run, line);
        }
        return true;
    }
    return false;
}

/* "key = value" lines: what a model is (print_info) and how a context was made. */
#include <string.h>

#include "base/lines.h"
#include "inspect/load_lines.h"

/* "file type   = Q8_0": key and value without blanks around them. */
static bool split_setting(struct raw_text after, struct raw_text *key, struct raw_text *value)
{
    if (!raw_split(after, '=', key, value)) {
        return false;
    }
    *key = raw_trim(*key);
    *value = raw_trim(*value);
    return key->length > 0 && value->length > 0;
}

static void set_once(struct measured *place, struct measured value)
{
    if (!place->known) {
        *place = value;
    }
}

/* A pooled model makes vectors, or a rank; 0 is none, -1 not said. */
static enum model_kind kind_from_pooling(struct raw_text value)
{
    if (value.length == 1 && *value.bytes >= '1' && *value.bytes <= '3') {
        return MODEL_EMBEDDING;
    }
    return raw_equal_string(value, "4") ? MODEL_DECISION : MODEL_UNKNOWN;
}

static bool is_draft_head(struct raw_text architecture)
{
    static const char *const heads[] = {"eagle3", "dflash", "gemma4-assistant"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (raw_equal_string(architecture, heads[i])) {
            return true;
        }
    }
    return false;
}

static void read_file_size(struct load_model *model, struct raw_text value)
{
    int64_t bytes;
    if (log_size(value, SIZE_BINARY, &bytes, NULL)) {
        model->file_bytes = measured_known(bytes);
    }
}

static void set_architecture(struct load_run_reading *run, struct load_model *model,
                             struct raw_text value)
{
    run_text_once(run, &model->architecture, value);
    if (is_draft_head(value)) {
        model->kind = MODEL_DRAFT;
    }
}

static void read_info(struct load_run_reading *run, struct raw_text key, struct raw_text value)
{
    struct run_model *run_model = run_main_model(run);
    struct load_model *model = &run_model->seen;
    run->is_shown = false;
    if (raw_equal_string(key, "arch")) {
        set_architecture(run, model, value);
    } else if (raw_equal_string(key, "general.name")) {
        run_text_once(run, &model->name, value);
    } else if (raw_equal_string(key, "file type") || raw_equal_string(key, "model ftype")) {
        run_text_once(run, &model->quantization, value);
    } else if (raw_equal_string(key, "file size") || raw_equal_string(key, "model size")) {
        read_file_size(model, value);
    } else if (raw_equal_string(key, "model params")) {
        set_once(&model->parameters, log_parameters(value));
    } else if (raw_equal_string(key, "n_layer_all")) {
        model->layers = log_count(value);
    } else if (raw_equal_string(key, "n_layer")) {
        set_once(&model->layers, log_count(value));
    } else if (raw_equal_string(key, "n_ctx_train")) {
        set_once(&model->context_trained, log_count(value));
    } else if (raw_equal_string(key, "pooling type") && model->kind == MODEL_UNKNOWN) {
        model->kind = kind_from_pooling(value);
    } else if ((raw_equal_string(key, "no_alloc") || raw_equal_string(key, "vocab_only")) &&
               raw_equal_string(value, "1")) {
        run_model->failed =
            true; /* a projection of the fit step; Ollama's server counting tokens */
    }
}

/* ggml's own format, until 2023-08: one function printed model and context. */
static void read_internal(struct load_run_reading *run, struct raw_text key, struct raw_text value)
{
    struct load_model *model = &run_main_model(run)->seen;
    if (raw_equal_string(key, "n_layer")) {
        set_once(&model->layers, log_count(value));
    } else if (raw_equal_string(key, "ftype")) {
        struct raw_text name;
        if (log_find(value, "mostly ", &name)) {
            run_text_once(run, &model->quantization, log_until(name, ')'));
        }
    } else if (raw_equal_string(key, "n_ctx")) {
        struct run_context *context =
            run->context >= 0 ? &run->contexts.items[run->context] : run_begin_context(run);
        context->seen.context = log_count(value);
    }
    run->is_shown = false;
}

static void set_context(struct load_context *context, struct load_run_reading *run,
                        struct raw_text key, struct raw_text value)
{
    static const struct {
        const char *key;
        size_t offset;
    } counts[] = {
        {"n_ctx", offsetof(struct load_context, context)},
        {"n_ctx_seq", offsetof(struct load_context, sequence_context)},
        {"n_ctx_per_seq", offsetof(struct load_context, sequence_context)},
        {"n_seq_max", offsetof(struct load_context, sequences)},
        {"n_batch", offsetof(struct load_context, batch)},
        {"n_ubatch", offsetof(struct load_context, ubatch)},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (raw_equal_string(key, counts[i].key)) {
            *(struct measured *)(void *)((char *)context + counts[i].offset) = log_count(value);
        }
    }
    if (raw_equal_string(key, "flash_attn")) {
        run_text_once(run, &context->flash_attention, value);
    } else if (raw_equal_string(key, "kv_unified")) {
        context->kv_unified_known = true;
        context->kv_unified = raw_equal_string(value, "true");
    }
    run->is_shown = false;
}

/* Before "constructing llama_context" was printed, the first settings open a context. */
static void read_context(struct load_run_reading *run, struct raw_text key, struct raw_text value)
{
    bool sequences = raw_equal_string(key, "n_seq_max"), cells = raw_equal_string(key, "n_ctx");
    struct run_context *context = run->context >= 0 ? &run->contexts.items[run->context] : NULL;
    bool said = context && ((sequences && context->seen.sequences.known) ||
                            (cells && context->seen.context.known));
    if ((sequences || cells) && (!context || context->has_content || said)) {
        context = run_begin_context(run);
    }
    if (context) {
        set_context(&context->seen, run, key, value);
    }
}

void load_lines_settings(struct load_run_reading *run, const struct log_line *line)
{
    static const struct {
        enum log_word word;
        void (*read)(struct load_run_reading *run, struct raw_text key, struct raw_text value);
    } readers[] = {
        {LOG_WORD_print_info, read_info},        {LOG_WORD_print_meta, read_info},
        {LOG_WORD_load_internal, read_internal}, {LOG_WORD_llama_context, read_context},
        {LOG_WORD_new_context, read_context},    {LOG_WORD_init_from_model, read_context},
    };
    struct raw_text key, value, before;
    if (log_line_has(line, LOG_WORD_print_info)) {
        before = log_line_before(line, LOG_WORD_print_info);
        if (before.length && before.bytes[before.length - 1] == '_') {
            return; /* common_params_print_info: about the program */
        }
    }
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (log_line_has(line, readers[i].word) &&
            split_setting(log_line_after(line, readers[i].word), &key, &value)) {
            readers[i].read(run, key, value);
            return;
        }
    }
}
